"""Tables of known errors: a pattern in a verdict's detail or a traceback, what it means, and what to do about it.

Data only; `explanations.py` decides which table applies. The first pattern that matches counts.
"""

from __future__ import annotations

from typing import Final

_NOT_ALLOWED: Final = "an agent is not allowed to use the network, start processes or write files"
_DEBUGGER: Final = "remove breakpoint(); use it in `arena replay GAME --debug --turn N`, on a recorded game"

PROGRAM_EXITS: Final = (
    (
        r"exited with code 0",
        "the program exited without an error",
        "the program must answer until its input ends: look for exit(), and for a loop that ends too early",
    ),
    (
        r"closed its stdout",
        "the program closed its stdout, so it can send no more moves",
        "leave stdout open: the program sends its moves through stdout",
    ),
    (
        r"was killed by SIGSEGV",
        "the system stopped the program because it accessed memory that is not its own (SIGSEGV, segmentation fault)",
        "look for an endless recursion, or in C for a wrong pointer or index",
    ),
    (
        r"was killed by SIGSYS",
        "the system stopped the program because it made a system call that agents must not make (SIGSYS)",
        "an agent must not start programs, open connections or change anything on the machine",
    ),
    (
        r"was killed by SIGABRT",
        "the program aborted itself (SIGABRT): a check in the program or in a library failed",
        "read the last lines that the program printed",
    ),
    (
        r"was killed by (\S+)",
        r"the program was killed by the signal \1",
        "an agent must not kill itself, or use more memory or other resources than allowed",
    ),
    (
        r"had more than the (\d+) threads and processes",
        r"it started more threads and processes than allowed (\1)",
        "one thread is enough: think in choose only",
    ),
    (
        r"had more than (\d+) sockets, pipes and .* open",
        r"the agent had more sockets, pipes and epoll instances open than allowed (\1)",
        "close each of them as soon as the agent no longer needs it",
    ),
    (
        r"starts processes faster than they can be stopped",
        "the agent starts processes faster than they can be stopped",
        "an agent must not start processes",
    ),
    (r"said bye", "the agent said 'bye' during the game", "only the referee ends a game; to give up, send 'resign'"),
    (
        r"cannot be started: (.*)",
        r"the program cannot be started: \1",
        "check the path, the first line of the file (#!), and that the file is executable (chmod +x)",
    ),
)
"""Exits without a Python traceback: a pattern in the detail, the message, and the advice."""

SEVERAL_FILES: Final = (
    "if this is a file of yours: hand in all files together, as one folder or zip, with the agent in agent.py"
)
MISSING_FILES: Final = (
    r"[Cc]an't open (?:perl script )?\"([^\"]+)\"",
    r"No such file or directory -- (\S+)",
    r"sh: (?:\d+: )?(?:cannot open )?([^:\s]+): No such file",
)
"""What other interpreters than those of our languages print when a file is missing; the group is the file."""

LOADING_ERRORS: Final = (
    (r"breakpoint\(\)[^$]*EOFError", _DEBUGGER),
    (
        r"<<<<<<< |>>>>>>> |^=======$",
        "a merge conflict of git: keep one of the two versions, and delete the lines of <, = and >",
    ),
    (r"```", "remove the Markdown marks (```): they are not Python"),
    (
        r"invalid (non-printable )?character",
        "this quote, dash or space comes from a word processor: type it again in a code editor",
    ),
    (r"Missing parentheses in call to", "this is Python 2: in Python 3 write print(...)"),
    (r"was never closed", "this bracket is never closed: add the closing bracket"),
    (r"unterminated", "a string starts here, and its closing quote is missing"),
    (r"expected ':'", "this line must end with a colon"),
    (
        r"TabError",
        "some lines are indented with tabs, others with spaces: in the editor, convert tabs to four spaces",
    ),
    (
        r"IndentationError: unexpected indent",
        "this line is indented more than the one before: indent all lines of a block equally",
    ),
    (
        r"IndentationError",
        "indent all lines of a block equally; after a line that ends with ':', add four spaces",
    ),
    (
        r"SyntaxError: \(unicode error\) 'utf-8'|codec can't decode",
        "save the file as UTF-8 (the editor's 'save with encoding')",
    ),
    (r"SyntaxError: \(unicode error\)", "in a string with a Windows path, write / or \\\\ instead of \\"),
    (
        r"SyntaxError",
        "Python cannot read this line, or the end of the line before it: look for a typo, or a missing ), : or quote",
    ),
    (r"has the name of our library", "give it another name, and write that name in all imports of it"),
    (r"has none of that name", "look for a typo; a file of yours must not have the name of a library"),
    (
        r"the tournament (lets agents import|does not allow it)",
        "write the agent without this module, or ask your instructor to allow it",
    ),
    (
        r"'(numpy|scipy|torch|tensorflow|pandas|sklearn|numba|jax|keras|networkx|sympy|dill|joblib|tqdm|requests|"
        r"chess)\b",
        "this module is not installed here: write the agent without it, install it into the agent's folder (pip "
        "install --target FOLDER NAME), or ask your instructor",
    ),
    (
        r"'(matplotlib|tkinter|_tkinter|pygame|turtle|PIL|seaborn|plotly)\b",
        "an agent has no screen: remove the graphics",
    ),
    (r"there is no module", SEVERAL_FILES),
    (r"the program ends while it is imported", "put the code that ends the program under: if __name__ == '__main__':"),
    (
        r"for \w+ in sys\.stdin[^$]*EOFError: an agent has no keyboard",
        'this program speaks the protocol itself, so it is not an agent of the kit: use "cmd:python3 FILE.py"',
    ),
    (r"EOFError: an agent has no keyboard", "remove input(): everything an agent can know is in the state"),
    (r"cannot import name 'Agent'", "write: from agents import Agent"),
)
"""Errors while a file is loaded: a pattern, and the advice."""

RUNTIME_ERRORS: Final = (
    (r"breakpoint\(\)[^$]*EOFError|BdbQuit", _DEBUGGER),
    (r"EOFError: an agent has no keyboard", "remove input(): everything an agent can know is in the state"),
    (r"SystemExit", "remove exit(), quit() and sys.exit(): choose ends with return, and the referee ends the game"),
    (r"NotImplementedError", "write the method choose(self, state, clock)"),
    (
        r"RecursionError",
        "a function calls itself forever: add a case that ends the recursion, or a depth limit",
    ),
    (
        r"No usable temporary directory",
        "an agent has no temporary folder: keep the data in memory, such as in io.BytesIO(); where the tournament sets "
        "'disk', open() can also make files in the current folder",
    ),
    (
        r"(FileNotFoundError|\[Errno 2\])",
        "the working directory of an agent has its own files only. A data file beside it is copied with it if its name "
        "stands in the program, and no other agent is in that folder; or enter the whole folder",
    ),
    (r"(PermissionError|\[Errno 13\]|\[Errno 1\]|\[Errno 30\]|Read-only file system)", _NOT_ALLOWED),
    (r"(gaierror|ConnectionError|ConnectionRefused|URLError|TimeoutError|Network)", _NOT_ALLOWED),
    (r"can't start new thread", "the number of threads is limited; one thread is enough: think in choose"),
    (r"(BlockingIOError|Cannot fork|\[Errno 11\])", _NOT_ALLOWED),
    (r"MemoryError", "keep less in memory: delete what is no longer needed, and limit the size of tables and caches"),
    (r"(ModuleNotFoundError|ImportError)", "this module cannot be imported here: write the agent without it"),
    (r"UnboundLocalError", "this function reads a variable before it gives the variable a value"),
    (
        r"NameError: name '(random|math|time|copy|collections|functools|itertools|heapq|numpy|np)'",
        "the import of this module is missing: add it at the top of the file",
    ),
    (r"NameError", "this name is not defined: look for a typo, a missing import or a missing self."),
    (r"AttributeError: 'NoneType'", "this value is None: a function may have no 'return'"),
    (
        r"AttributeError: '\w+' object has no attribute '(utility|children|actions|result|legal_moves|board)'",
        "a state has moves(), play(move), utilities(), evaluate(seat) and turn; `arena docs games` lists all others",
    ),
    (
        r"'tuple' object (does not support item|has no attribute '(append|extend|insert|pop|remove|sort|reverse)')",
        "a tuple, such as state.moves(), cannot be changed: make a list of it first, list(state.moves())",
    ),
    (
        r"TypeError: .*'(method|function|builtin_function_or_method)'|AttributeError: '(method|function)' object",
        "add () after the name, as in state.moves(): without (), this is the method itself, not its result",
    ),
    (
        r"can't set|is read-only|FrozenInstanceError|has no setter|does not support item assignment",
        "never change a state: state.play(move) returns a new one",
    ),
    (r"AttributeError", "this object has no attribute of that name: look for a typo; print(dir(...)) lists the names"),
    (
        r"IndexError",
        "the index is too large for this list; state.moves() is empty when the game is over (state.turn is None)",
    ),
    (
        r"(max|min)\(\) (arg|iterable)",
        "the list is empty: state.moves() is empty when the game is over (state.turn is None)",
    ),
    (r"KeyError", "the dictionary does not have this key: test with 'in' first, or use .get()"),
    (r"ZeroDivisionError", "check the divisor, and handle 0 separately"),
    (
        r"takes \d+ positional arguments? but",
        "the call passes more values than the 'def' line of the function lists; is self missing in that line?",
    ),
    (r"missing \d+ required positional", "the call passes fewer values than the 'def' line of the function lists"),
    (r"unhashable type", "a list or a dictionary cannot be a key, or be in a set: use a tuple, or state.key"),
    (r"BadMove", "play only moves from state.moves()"),
    (r"BadSearch", "this search cannot play this game: `arena agents --game GAME` lists the ones that can"),
    (r"AssertionError", "an assert in the agent's own code failed"),
    (r"UnicodeDecodeError", "open the file with encoding='utf-8', or in binary ('rb')"),
    (r"JSONDecodeError|json", "the text is not valid JSON"),
)
"""Errors while the agent plays: a pattern in the last line of the traceback, and the advice."""

PROTOCOL_ERRORS: Final = (
    (
        r"expected a JSON object",
        "the agent wrote something to stdout that is not a message",
        "stdout is for messages only, one JSON object per line: print everything else to stderr",
    ),
    (r"said hello twice", "the agent said 'hello' twice", "say hello once, as the first message, or not at all"),
    (
        r"hello after other messages",
        "the agent said 'hello' after other messages",
        "say hello as the first message, or not at all",
    ),
    (r"expected protocol", "the agent speaks another version of the protocol", 'say hello with "protocol": 1'),
    (
        r"no message type ([^;]+)(; did you mean '(?:hello|ready|move|resign|bye)'\?)?.*?( \(the line: .*)?$",
        r"the agent sent a message of the unknown type \1\2\3",
        "an agent sends ready, move and resign",
    ),
    (
        r"resign or bye, got .*: only ",
        "the agent sent a message that agents must not send",
        "an agent sends ready, move and resign",
    ),
    (
        r"message of type '(\w+)': Object missing required field ('\w+')(.*)",
        r"the agent sent a '\1' without the key \2\3",
        "`arena docs languages` lists the keys of each message; game and id are those of the start or turn answered",
    ),
    (
        r"message of type '(\w+)': (.*)",
        r"the agent sent a '\1' with a mistake: \2",
        "`arena docs languages` describes the keys and types of each message",
    ),
    (r"sent a 'hello'", "the agent said 'hello' twice", "say hello once, as the first message"),
    (r"sent a '\w+'", "the agent sent a message at the wrong time", "an agent sends ready, move and resign"),
    (
        r"msgpack",
        "the agent sent bytes that are not a msgpack message",
        "over ZeroMQ each message is one msgpack map",
    ),
    (r"one frame", "the agent sent a message of several frames", "one message is one frame"),
    (
        r"expected a map with a 'type'|expected a 'type'",
        "the agent sent JSON without a 'type'",
        'every message has a "type"',
    ),
)
"""Bad messages: a pattern in the detail, the message, and the advice."""

FLOODS: Final = (
    (
        r"a line of more than",
        "the agent wrote a line to stdout that is longer than any message (64 KiB)",
        "end each message with a newline; print everything else to stderr",
    ),
    (
        r"wrote more than \d+ bytes",
        "the agent wrote more than 1 MiB to stdout without being asked",
        "write one message per turn; print everything else to stderr",
    ),
    (
        r"more than 100 messages",
        "the agent sent more than 100 messages without being asked",
        "send one move per turn, with the id of that turn",
    ),
    (r"into its folder", "the agent wrote more into its folder than allowed", "an agent should not write files"),
)
"""Too much output: a pattern in the detail, the message, and the advice."""
