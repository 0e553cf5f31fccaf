"""The methods `worth` that `arena new` puts into a new agent, in a class with the name of the game's class.

Each is short, and better than nothing, but not good: a student's first task is to make a better one. All other games
get the general method of the templates, which returns the game's own estimate.
"""


class Connect4:
    def worth(self, state, seat):
        """How good a position is for a seat: a number between -1 and 1, larger is better. Improve it!"""
        if state.turn is None:  # the game is over: won 1, lost -1, drawn 0
            return state.utilities()[seat]
        mine, theirs = ("x", "o") if seat == 0 else ("o", "x")
        # A disc in the middle column can be part of more lines than a disc at the edge.
        rows = state.rows()  # the rows as texts, row 0 on top; an empty cell is "."
        middle = len(rows[0]) // 2
        discs = [state.cell(row, middle) for row in range(len(rows))]
        return (discs.count(mine) - discs.count(theirs)) / 100


class TicTacToe:
    def worth(self, state, seat):
        """How good a position is for a seat: a number between -1 and 1, larger is better. Improve it!"""
        if state.turn is None:  # the game is over: won 1, lost -1, drawn 0
            return state.utilities()[seat]
        mine = "x" if seat == 0 else "o"
        # The cell in the middle is part of more lines than the others.
        rows = state.rows()  # the rows as texts, row 0 on top; an empty cell is "."
        middle = state.cell(len(rows) // 2, len(rows[0]) // 2)
        return 0 if middle == "." else 0.1 if middle == mine else -0.1


class Othello:
    def worth(self, state, seat):
        """How good a position is for a seat: a number within state.bounds, larger is better. Improve it!"""
        if state.turn is None:  # the game is over: the difference of the discs
            return state.utilities()[seat]
        mine, theirs = ("x", "o") if seat == 0 else ("o", "x")
        # A disc in a corner can never be turned.
        last = len(state.rows()) - 1  # state.rows() are the rows as texts, row 0 on top; an empty cell is "."
        corners = [state.cell(row, column) for row in (0, last) for column in (0, last)]
        return corners.count(mine) - corners.count(theirs)


class Checkers:
    def worth(self, state, seat):
        """How good a position is for a seat: a number between -1 and 1, larger is better. Improve it!"""
        if state.turn is None:  # the game is over: won 1, lost -1, drawn 0
            return state.utilities()[seat]
        mine, theirs = ("b", "w") if seat == 0 else ("w", "b")
        # Count the pieces. A king is a capital letter: "B" or "W".
        board = "".join(state.rows())  # the rows as texts, row 0 on top; an empty cell is "."
        men = board.count(mine) - board.count(theirs)
        kings = board.count(mine.upper()) - board.count(theirs.upper())
        return (men + kings) / 100  # is a king worth more than a man?


class Chess:
    def worth(self, state, seat):
        """How good a position is for a seat: a number between -1 and 1, larger is better. Improve it!"""
        if state.turn is None:  # the game is over: won 1, lost -1, drawn 0
            return state.utilities()[seat]
        # Count the pieces, each with its worth in pawns. White, seat 0, has the capital letters.
        board = "".join(state.rows())  # the rows as texts, row 0 on top; an empty square is "."
        white = black = 0
        for piece, pawns in (("p", 1), ("n", 3), ("b", 3), ("r", 5), ("q", 9)):
            white += pawns * board.count(piece.upper())
            black += pawns * board.count(piece)
        return (white - black if seat == 0 else black - white) / 200


class Go:
    def worth(self, state, seat):
        """How good a position is for a seat: a number within state.bounds, larger is better. Improve it!"""
        if state.turn is None:  # the game is over: the difference of the areas, with komi
            return state.utilities()[seat]
        mine, theirs = ("x", "o") if seat == 0 else ("o", "x")
        # Count the stones. A captured stone is gone.
        board = "".join(state.rows())  # the rows as texts, row 0 on top; an empty point is "."
        return board.count(mine) - board.count(theirs)  # what are the empty points worth?
