"""What is said of known cases: a sign in the words of a verdict, what that means, and what to do about it.

Data alone; `explanations.py` decides which of these tables is asked. The first sign that is found counts.
"""

from __future__ import annotations

from typing import Final

_WALLED: Final = "behind the walls an agent has no network, starts no process and writes no file"
_DEBUGGER: Final = "take breakpoint() out; it works in `arena debug GAME --ply N`, on a game that was played"

ENDS: Final = (
    (
        r"exited with code 0",
        "the program ended by itself, without an error",
        "it must go on answering until its input ends; look for exit() and for a loop that is left too early",
    ),
    (
        r"closed its stdout but is still running",
        "the program closed its output, so no move can come from it any more",
        "leave stdout open: it is how moves are told",
    ),
    (
        r"was killed by SIGSEGV",
        "the program was stopped by the system: it used memory that is not its own (SIGSEGV)",
        "look for a recursion without end, or in C for a wrong pointer or index",
    ),
    (
        r"was killed by SIGSYS",
        "the program was stopped by the system: it made a system call that is forbidden behind the walls (SIGSYS)",
        "an agent starts no programs, opens no connections and changes nothing on the machine",
    ),
    (
        r"was killed by SIGABRT",
        "the program gave up by itself (SIGABRT): a check in it, or in a library, failed",
        "read the last lines that it printed",
    ),
    (
        r"was killed by (\S+)",
        r"the program was ended by the signal \1",
        "an agent must not end itself, and must not use more than it may",
    ),
    (
        r"had more than the (\d+) threads and processes allowed",
        r"it started more than the \1 threads and processes that it may have",
        "one thread is enough: think in choose, and nowhere else",
    ),
    (
        r"had more than (\d+) sockets, pipes and epoll instances open",
        r"it had more than the \1 sockets, pipes and watchers open that it may have",
        "close what is not needed any more",
    ),
    (
        r"starts processes faster than they can be stopped",
        "it starts processes faster than they can be stopped",
        "an agent starts no processes",
    ),
    (r"said bye", "it said 'bye' in the middle of the game", "only the referee ends a game; to give up, send 'resign'"),
    (
        r"cannot be started: (.*)",
        r"the program cannot be started: \1",
        "check its path, its first line (#!) and that it may be executed (chmod +x)",
    ),
)
"""How a program can end without Python's words for it: a sign in the detail, the message, and the advice."""

TOGETHER: Final = (
    "if it is a file of yours: several files that belong together are handed in as one folder or zip, the agent's "
    "own as agent.py"
)
MISSING: Final = (
    r"Cannot find module '([^']+)'",
    r"can't open file '([^']+)'",
    r"[Cc]an't open (?:perl script )?\"([^\"]+)\"",
    r"Unable to access jarfile (\S+)",
    r"cannot find or load main class (\S+)",
    r"No such file or directory -- (\S+)",
    r"sh: (?:\d+: )?(?:cannot open )?([^:\s]+): No such file",
)
"""What runs a program (node, python, perl, java, ruby, sh) says where a file of it is not there; the file."""

LOADED: Final = (
    (r"breakpoint\(\)[^$]*EOFError", _DEBUGGER),
    (r"<<<<<<< |>>>>>>> |^=======$", "two versions were put together here: keep one of them, and delete these marks"),
    (r"```", "take the marks of Markdown (```) out: they are not Python"),
    (r"invalid (non-printable )?character", "a word processor's quote, dash or blank: type it anew in a plain editor"),
    (r"Missing parentheses in call to", "this is Python 2: in Python 3 it is print(...)"),
    (r"was never closed", "this bracket is opened and never closed: put the other one where it belongs"),
    (r"unterminated", "a text begins here, and its closing quote is missing"),
    (r"expected ':'", "this line must end with a colon"),
    (r"TabError", "some lines begin with tabs and others with blanks: let the editor turn all tabs into four blanks"),
    (
        r"IndentationError: unexpected indent",
        "this line begins farther to the right than the one before: lines of one block begin at the same place",
    ),
    (
        r"IndentationError",
        "lines of one block begin at the same place; after a line that ends with ':' they begin four blanks farther in",
    ),
    (
        r"SyntaxError: \(unicode error\) 'utf-8'|codec can't decode",
        "save the file in UTF-8 (the editor's 'save with encoding')",
    ),
    (r"SyntaxError: \(unicode error\)", "in a text, write \\\\ or / for the \\ of a Windows path"),
    (
        r"SyntaxError",
        "Python cannot read this line, or the end of the one before: look for a missing ) or : or quote, or a "
        "mistyped word",
    ),
    (r"the tournament lets agents import", "do without it, or ask your teacher to allow it"),
    (
        r"'(numpy|scipy|torch|tensorflow|pandas|sklearn)\b",
        "it is not installed for agents here: do without it, or ask for it",
    ),
    (r"'(matplotlib|tkinter|_tkinter|pygame|turtle|PIL|seaborn|plotly)\b", "an agent has no screen: leave drawing out"),
    (r"there is no module", TOGETHER),
    (r"the program ends while it is imported", "put such code under: if __name__ == '__main__':"),
    (
        r"for \w+ in sys\.stdin[^$]*EOFError: an agent has no keyboard",
        'a program that speaks the protocol itself is no agent of the kit: enter it as "cmd:python3 FILE.py"',
    ),
    (r"EOFError: an agent has no keyboard", "take input() out: the state has all that there is to know"),
    (r"cannot import name 'Agent'", "write: from agents import Agent"),
)
"""What is wrong with a file, and what to do."""

ERRORS: Final = (
    (r"breakpoint\(\)[^$]*EOFError|BdbQuit", _DEBUGGER),
    (r"EOFError: an agent has no keyboard", "take input() out: the state has all that there is to know"),
    (r"SystemExit", "take exit(), quit() and sys.exit() out: choose ends with return, and the referee ends the game"),
    (r"NotImplementedError", "write the method choose(self, state, clock)"),
    (
        r"RecursionError",
        "a function calls itself without end: give it a depth at which it stops, or a case that ends it",
    ),
    (
        r"(FileNotFoundError|\[Errno 2\])",
        "an agent starts in an empty folder: make a folder with the agent, as agent.py, and the file; open "
        "Path(__file__).with_name('...') in it; and check the folder: arena check FOLDER",
    ),
    (r"(PermissionError|\[Errno 13\]|\[Errno 1\]|\[Errno 30\]|Read-only file system)", _WALLED),
    (r"(gaierror|ConnectionError|ConnectionRefused|URLError|TimeoutError|Network)", _WALLED),
    (r"can't start new thread", "there is a limit on threads: one is enough, think in choose"),
    (r"(BlockingIOError|Cannot fork|\[Errno 11\])", _WALLED),
    (r"MemoryError", "it keeps more than it may: forget what is not needed, or limit what is remembered"),
    (r"(ModuleNotFoundError|ImportError)", "that cannot be imported here: do without it"),
    (r"UnboundLocalError", "a variable is read before it is given a value in this function"),
    (r"NameError", "that name was never given a value: look for a typing error, a missing import or a missing self."),
    (r"AttributeError: 'NoneType'", "something is None here that should be a value: a function without return?"),
    (
        r"AttributeError: '\w+' object has no attribute '(utility|children|actions|result|legal_moves|board)'",
        "a state has moves(), play(move), utilities(), evaluate(seat), turn; a game's own file says what else",
    ),
    (
        r"can't set|is read-only|FrozenInstanceError|has no setter|does not support item assignment",
        "a state never changes: state.play(move) gives a new one",
    ),
    (r"AttributeError", "that object has no such part: look for a typing error, or print(dir(...))"),
    (r"IndexError", "a list is shorter than that; state.moves() is empty when the game is over (state.turn is None)"),
    (
        r"(max|min)\(\) (arg|iterable)",
        "there is nothing to choose from: a state without moves is over (state.turn is None)",
    ),
    (r"KeyError", "that key is not in the dictionary: ask with .get(), or 'in'"),
    (r"ZeroDivisionError", "look what is divided by, and treat 0 apart"),
    (
        r"takes \d+ positional arguments? but",
        "it is called with more, or fewer, values than its 'def' names; is self missing?",
    ),
    (r"missing \d+ required positional", "it is called with fewer values than its 'def' names"),
    (r"unhashable type", "lists and dictionaries cannot be keys: make a tuple of them, or use state.key"),
    (r"BadMove", "play only what state.moves() gives"),
    (r"BadSearch", "this search is not for this game: `arena agents` says which is"),
    (r"AssertionError", "an assert of its own is not true here"),
    (r"UnicodeDecodeError", "open the file with encoding='utf-8', or in binary ('rb')"),
    (r"JSONDecodeError|json", "what was read is no JSON"),
)
"""A sign in the last line of a traceback, and what to do."""

NO_MESSAGES: Final = (
    (
        r"expected a JSON object",
        "it wrote something to stdout that is no message",
        "stdout is for messages alone, one JSON object a line: print what else there is to stderr",
    ),
    (r"said hello twice", "it said 'hello' twice", "say hello once, first of all, or not at all"),
    (r"hello after other messages", "it said 'hello' after other messages", "say hello first of all, or not at all"),
    (r"expected protocol", "it speaks another version of the protocol", 'say hello with "protocol": 1'),
    (r"no message type", "it sent a message of a type that there is not", "an agent says ready, move and resign"),
    (
        r"only the server sends that",
        "it sent a message that an agent may not send",
        "an agent says ready, move, resign",
    ),
    (
        r"message of type '(\w+)'",
        "it sent a message with something wrong in it",
        "docs/protocol.md has its keys and types",
    ),
    (r"'hello', which is not allowed now", "it said 'hello' twice", "say hello once, first of all"),
    (r"which is not allowed now", "it sent a message that has no place here", "an agent says ready, move and resign"),
    (
        r"msgpack",
        "it sent bytes that are no message in msgpack",
        "a player over ZeroMQ sends one msgpack map a message",
    ),
    (r"one frame", "it sent a message of many frames", "one message is one frame"),
    (r"expected a map with a 'type'|expected a 'type'", "it sent JSON without a 'type'", 'every message has a "type"'),
)
"""A sign in the detail, the message, and the advice."""

FLOODS: Final = (
    (
        r"a line of more than",
        "it wrote a line to stdout that is longer than any message (64 KiB)",
        "end each message with a newline; print what else there is to stderr",
    ),
    (
        r"bytes that nobody asked for",
        "it wrote far more to stdout than anybody asked for (1 MiB)",
        "write one message a turn; print what else there is to stderr",
    ),
    (
        r"more than 100 messages",
        "it sent more than 100 messages that nobody asked for",
        "send one move a turn, with the id of that turn",
    ),
    (r"into its folder", "it wrote more into its folder than it may", "an agent writes no files"),
)
