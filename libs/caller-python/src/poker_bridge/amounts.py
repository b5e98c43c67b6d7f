"""Amounts as decimals."""


def format_amount(amount: int, precision: int | None) -> str:
    """Writes an amount in minor units as a decimal, digit for digit: 28831 with 2 decimals is `288.31`.

    `Decimal(format_amount(...))` is exact as well.

    The precision is that of the currency in `page["precisions"]`. Raises ValueError without one.
    """
    if not isinstance(precision, int) or isinstance(precision, bool) or precision < 0:
        raise ValueError("the currency has no configured number of decimals (CURRENCY_PRECISIONS)")
    digits = str(abs(amount)).rjust(precision + 1, "0")
    whole = digits[: len(digits) - precision]
    sign = "-" if amount < 0 else ""
    return f"{sign}{whole}.{digits[-precision:]}" if precision else f"{sign}{whole}"
