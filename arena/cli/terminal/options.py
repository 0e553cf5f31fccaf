"""Options that several commands share: a decorator adds them to a command, in the place of one parameter."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints


def with_options(
    command: Callable[..., None], parameter: str, options: Mapping[str, Any], value: Callable[[dict[str, Any]], Any]
) -> Callable[..., None]:
    """The command with these options instead of `parameter`, which gets what `value` makes of theirs."""
    hints = get_type_hints(command, localns={"GameFilter": Any}, include_extras=True)
    parameters: list[inspect.Parameter] = []
    for name, own in inspect.signature(command).parameters.items():
        if name == parameter:
            keyword = inspect.Parameter.KEYWORD_ONLY
            parameters += [
                inspect.Parameter(each, keyword, default=default, annotation=annotation)
                for each, (annotation, default) in options.items()
            ]
        else:
            kind = own.VAR_POSITIONAL if own.kind is own.VAR_POSITIONAL else own.KEYWORD_ONLY
            parameters.append(own.replace(annotation=hints.get(name, own.annotation), kind=kind))

    def run(**given: Any) -> None:
        found = {name: given.pop(name) for name in options}
        command(**given, **{parameter: value(found)})

    run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run
