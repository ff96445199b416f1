"""Results as lines of text."""

HEAD = ("row", "ours", "peer", "ratio", "spread", "target", "verdict")


def render(results):
    """results: pairs of a row's name and a Result."""
    lines = [HEAD]
    for row, result in results:
        lines.append(_main_line(row, result))
        for name in result.contenders[2:]:
            lines.append(("", "", _value(result, name, named=True), "", "", "", ""))
    widths = [max(map(len, column)) for column in zip(*lines)]
    text = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
    return "\n".join([text[0], "-" * max(map(len, text)), *text[1:]])


def _main_line(row, result):
    ratio = result.ratio
    peer = _value(result, result.contenders[1], named=True) if ratio else ""
    return (
        f"{row}: {result.name}",
        _value(result, result.contenders[0], named=False),
        peer,
        f"{ratio.median:.2f}x" if ratio else "",
        _range(ratio, ".2f") if ratio else _range(result.ours, _format(result.ours)),
        "" if result.target is None else str(result.target),
        result.verdict,
    )


def _value(result, name, named):
    spread = result.spread(name)
    text = f"{spread.median:{_format(spread)}} {result.unit}"
    return f"{text} {name}" if named else text


def _range(spread, form):
    return f"{spread.lower:{form}} to {spread.upper:{form}}"


def _format(spread):
    return ".0f" if abs(spread.median) >= 100 else ".3g"
