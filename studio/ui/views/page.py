"""What every page has in common."""

from PySide6.QtWidgets import QWidget


class Page(QWidget):
    """A page of the window.  The commands of the Edit and Run menus go to the page that is shown.

    A page overrides what it can do; `commands` enables a command only where it means something.
    """

    def start_here(self) -> QWidget:
        """The widget that has the keyboard when the page is shown.

        No focus proxy: with one, Tab would jump over all that stands before that widget.
        """
        return self

    def new_item(self) -> None:
        """Make a new prompt, query, ..."""

    def save_item(self) -> None:
        """Save what is being edited."""

    def rename_item(self) -> None:
        """Ask for another name."""

    def delete_item(self) -> None:
        """Delete what is shown, once the user agreed."""

    def focus_filter(self) -> None:
        """Put the cursor into the page's filter."""

    def next_step(self) -> None:
        """Go to the next step of the trace that is shown."""

    def previous_step(self) -> None:
        """Go to the previous step."""

    def next_trial(self) -> None:
        """Go to the next row of the results."""

    def previous_trial(self) -> None:
        """Go to the previous row."""

    def show_prompt(self) -> None:
        """Show the prompt of the chosen step as the model reads it."""

    def move_up(self) -> None:
        """Move what is shown up in its list."""

    def move_down(self) -> None:
        """Move it down."""

    def try_metric(self) -> None:
        """Ask the metric that is shown for its verdict on a stored trial."""

    def score_again(self) -> None:
        """Ask which stored runs are to be scored again."""

    def keep_drafts(self) -> None:
        """Write down at once what was typed and not saved; called before the window closes."""
