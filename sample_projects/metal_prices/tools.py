"""Two tools with fixed tables: nothing here needs a network, and every answer can be checked."""

DOLLARS_PER_GRAM = {
    "gold": 88.1553,
    "silver": 1.0523,
    "platinum": 32.169,
    "palladium": 35.8252,
    "copper": 0.0098,
    "aluminum": 0.0026,
    "lead": 0.0021,
    "nickel": 0.0159,
    "zinc": 0.0031,
}
RATES = {("USD", "EUR"): 0.8, ("USD", "GBP"): 0.7, ("EUR", "USD"): 1.8}  # made up


def get_metal_price(metal_name: str) -> float:
    """Get the price of a metal in USD per gram.

    Args:
        metal_name: The metal that the question names.
    """
    price = DOLLARS_PER_GRAM.get(metal_name.strip().lower())
    if price is None:
        raise ValueError(f"No price for {metal_name!r}. Known: {', '.join(DOLLARS_PER_GRAM)}.")
    return price


def get_currency_exchange(base: str, target: str) -> float:
    """Get the exchange rate from one currency to another.

    Args:
        base: The currency of the price, always USD.
        target: The currency that the question names.
    """
    rate = RATES.get((base.strip().upper(), target.strip().upper()))
    if rate is None:
        known = ", ".join(f"{base} to {target}" for base, target in RATES)
        raise ValueError(f"No rate from {base!r} to {target!r}. Known: {known}.")
    return rate
