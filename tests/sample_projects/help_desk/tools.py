"""What the help desk can do; nothing of it is real."""

_ORDERS = {"A17": "a lamp, paid, not sent", "B20": "a chair, sent on Monday"}


def reset_password(email: str) -> str:
    """Send a link for a new password.

    Args:
        email: The address of the account.
    """
    return f"A link was sent to {email}."


def change_email(email: str) -> str:
    """Change the address of the account.

    Args:
        email: The new address.
    """
    return f"The address is {email} now."


def find_order(order: str) -> str:
    """What is known of an order.

    Args:
        order: Its number, such as A17.
    """
    if order not in _ORDERS:
        raise ValueError(f"There is no order {order}.")
    return _ORDERS[order]


def cancel_order(order: str) -> str:
    """Cancel an order that was not sent yet.

    Args:
        order: Its number, such as A17.
    """
    return f"Order {order} is cancelled."


def shipping_agent(main_objective: str) -> str:
    """Ask the agent that knows about parcels.

    Args:
        main_objective: What it should find out.
    """
    return "The parcel comes on Friday."


def billing_agent(main_objective: str) -> str:
    """Ask the agent that knows about payments.

    Args:
        main_objective: What it should find out.
    """
    return "Nothing is owed."


def transfer_to_human(reason: str) -> str:
    """Hand the conversation over to a person.

    Args:
        reason: Why.
    """
    return "A person has taken over."
