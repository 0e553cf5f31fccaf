"""The sheet: the colours and lines of all boards, one text for every picture, so that many on a page cannot clash.

Classes are named for what they colour. What lies on a table keeps its colours in the dark: discs, dice, cards.
"""

from typing import Final

SEATS: Final = (*("white", "black", "yellow", "red", "R", "G", "Y", "B", "runner", "ghost", "full-x", "full-o"),)
"""The classes of pieces: a page gives the colours of each to all else that belongs to a seat."""
LIGHT: Final = """
.board { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 14px;
  text-anchor: middle; stroke-linejoin: round; }
.board .paper, .board .hole { fill: #ffffff; }
.board text { fill: #1f2328; }
.board .faint { fill: #59636e; }
.board .mono { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
.board .bold { font-weight: 700; }
.board .line, .board .dim, .board .stroke, .board .x, .board .o, .board .last, .board .won { fill: none; }
.board .line { stroke: #6e7781; stroke-width: 1.5px; }
.board .dim { stroke: #d0d7de; stroke-width: 1.5px; }
.board .stroke { stroke: #1f2328; stroke-width: 2px; }
.board .won { stroke: #1f2328; stroke-width: 4px; }
.board .cell { fill: #f6f8fa; stroke: #b7bfc8; }
.board .nothing { fill: none; stroke: #b7bfc8; stroke-dasharray: 4 3; }
.board .ink { fill: #1f2328; }
.board .on-ink { fill: #ffffff; }
.board .x { stroke: #0969da; stroke-width: 5px; }
.board .o { stroke: #bc4c00; stroke-width: 5px; }
.board .of-x { fill: #ddf4ff; }
.board .of-o { fill: #ffe7d3; }
.board .wins { stroke: #1f2328; stroke-width: 2px; }
.board .full-x { fill: #0969da; }
.board .full-o { fill: #bc4c00; }
.board .more { fill-opacity: 0.4; }
.board .last { stroke: #c11574; stroke-width: 3px; }
.board .at { fill: #ffdff0; }
.board .drawn { fill: none; stroke: #1f2328; stroke-width: 4px; }
.board .dot, .board .stone { fill: none; stroke: #1f2328; }
.board .small { fill: none; stroke: #a5adb6; }
.board .heap { fill: #1f2328; }
.board .frame { fill: #2458b3; }
.board .yellow { fill: #ffd33d; stroke: #9a6700; }
.board .red { fill: #c4232c; stroke: #6e0b12; }
.board .on-yellow { fill: none; stroke: #5c3d00; stroke-width: 3px; }
.board .on-red { fill: none; stroke: #ffffff; stroke-width: 3px; }
.board .line-of { fill: none; stroke: #ffffff; stroke-width: 3px; }
.board .lit { fill: none; stroke: #ff9ad5; stroke-width: 3px; }
.board .felt { fill: #2e8b57; }
.board .seam { fill: none; stroke: #17492e; }
.board .spot { fill: #17492e; }
.board .lattice { fill: none; stroke: #4a2c0c; }
.board .black-area { fill: #1b1f24; }
.board .white-area { fill: #ffffff; stroke: #3d444d; }
.board .last-on-black { fill: none; stroke: #ff9ad5; stroke-width: 3px; }
.board .last-on-white { fill: none; stroke: #c11574; stroke-width: 3px; }
.board .black { fill: #1b1f24; stroke: #000000; }
.board .white { fill: #ffffff; stroke: #3d444d; }
.board .on-black { fill: none; stroke: #aeb6bf; stroke-width: 1.5px; }
.board .on-white { fill: none; stroke: #59636e; stroke-width: 1.5px; }
.board .crown { fill: #e3b341; stroke: #7d4e00; }
.board .pale { fill: #f3e3c8; }
.board .wood { fill: #c99a66; }
.board .on-wood { fill: #4a2c0c; }
.board .die, .board .card { fill: #ffffff; stroke: #3d444d; stroke-width: 1.5px; }
.board .pip { fill: none; stroke: #1f2328; }
.board .on-card { fill: #1f2328; }
.board .back { fill: none; stroke: #a9c7f5; stroke-width: 4px; }
.board .chip { fill: #e3b341; stroke: #7d4e00; stroke-width: 1.5px; }
.board .star { fill: #6e7781; }
.board .wall { fill: none; stroke: #2458b3; stroke-width: 9px; }
.board .block { fill: #2458b3; }
.board .pellet { fill: none; stroke: #7d4e00; }
.board .runner { fill: #f2c53d; stroke: #6b4e00; stroke-width: 1.5px; }
.board .ghost { fill: #a3243b; stroke: #3d0914; }
.board .scared { fill: #ffffff; stroke: #2458b3; stroke-width: 1.5px; stroke-dasharray: 3 2; }
.board .eye { fill: none; stroke: #ffffff; } .board .pupil { fill: none; stroke: #16202e; }
.board .R { fill: #b93447; stroke: #5f1420; }
.board .G { fill: #127a5b; stroke: #06382a; }
.board .Y { fill: #f2c53d; stroke: #6b4e00; }
.board .B { fill: #2a6fbe; stroke: #0d2f57; }
.board .on-R, .board .on-G, .board .on-B, .board .on-ghost { fill: #ffffff; }
.board .on-Y { fill: #1f2328; }
.board .R-land { fill: #f3c4ca; }
.board .G-land { fill: #b3decf; }
.board .Y-land { fill: #faeab6; }
.board .B-land { fill: #bcd7f4; }
.board .no-land { fill: #e6eaef; }
.board path, .board line { stroke-linecap: round; }
""".strip()

DARK: Final = """
.board .paper, .board .hole { fill: #0d1117; }
.board text { fill: #e6edf3; }
.board .faint { fill: #9198a1; }
.board .line { stroke: #8b949e; }
.board .dim { stroke: #30363d; }
.board .stroke, .board .won, .board .wins, .board .drawn, .board .dot, .board .stone { stroke: #e6edf3; }
.board .cell { fill: #161b22; stroke: #4a525c; }
.board .nothing { stroke: #4a525c; }
.board .ink, .board .heap { fill: #e6edf3; }
.board .on-ink { fill: #0d1117; }
.board .x { stroke: #58a6ff; }
.board .o { stroke: #f0883e; }
.board .of-x { fill: #10294d; }
.board .of-o { fill: #3f2212; }
.board .full-x { fill: #58a6ff; }
.board .full-o { fill: #f0883e; }
.board .last { stroke: #ff80c8; }
.board .at { fill: #4a1335; }
.board .small { stroke: #545d68; }
.board .frame { fill: #1d4486; }
.board .felt { fill: #1f6b43; }
.board .seam { stroke: #0f3521; }
.board .spot { fill: #0f3521; }
.board .black { stroke: #8b949e; }
.board .pale { fill: #b59d7a; }
.board .wood { fill: #7a5a3a; }
.board .on-wood { fill: #f3e3c8; }
.board .wall { stroke: #3f78d8; }
.board .block { fill: #3f78d8; }
.board .pellet { stroke: #f2cc60; }
.board .scared { fill: #0d1117; stroke: #79b8ff; }
.board .on-card, .board .on-Y { fill: #1f2328; }
.board .on-R, .board .on-G, .board .on-B, .board .on-ghost { fill: #ffffff; }
.board .R-land { fill: #56222a; }
.board .G-land { fill: #123f31; }
.board .Y-land { fill: #54451a; }
.board .B-land { fill: #173a60; }
.board .no-land { fill: #21262d; }
""".strip()
