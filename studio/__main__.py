"""`python -m studio` is the `studio` command."""

from studio.cli import main

if __name__ == "__main__":
    main()
