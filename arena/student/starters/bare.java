// An agent that plays connect4 without our library: it reads and writes lines of JSON. It needs Java 11 or newer.
//
//     arena check my_agent.java --game connect4     check that it works
//     arena play connect4 my_agent.java random      watch one game
//     arena climb my_agent.java --game connect4     measure how strong it is
//     arena games connect4                          show the rules and the notation of moves
//
// `choose` plays the middle legal move: change it. `arena docs languages` describes all messages.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

class MyAgent {

    static int seat; // Yours: 0 is the first player.
    static List<String> played = new ArrayList<>(); // The moves of the game so far.

    // Your agent thinks here. "legal" is a list of moves, "position" is the board as text. If the game has pieces in
    // cells, turn.rows("board") has their numbers, the top row first: 0 is empty, 1 (2, ...) is yours, -1 (-2, ...) not.
    // In your own symbols n is "O.X".charAt(n + 1) (X: yours); turn.moveTo(row, column) is a move as text.
    static String choose(Message turn) {
        List<String> legal = turn.texts("legal");
        return legal.get(legal.size() / 2);
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream output = new PrintStream(System.out, true, StandardCharsets.UTF_8); // true: println flushes
        System.setOut(System.err); // what your code prints goes to stderr, the agent's log
        for (String line = input.readLine(); line != null; line = input.readLine()) { // null: the referee closed stdin
            Message message = new Message(line);
            switch (message.text("type")) {
                case "start":
                    seat = Integer.parseInt(message.value("seat"));
                    played.clear();
                    output.println("{\"type\": \"ready\", \"game\": " + message.value("game") + ", \"board\": true}");
                    break;
                case "turn":
                    played.addAll(message.texts("events")); // who played, if not a player, and what
                    played.removeAll(List.of("opening", "chance"));
                    // Answer with the id of the turn.
                    output.println("{\"type\": \"move\", \"game\": " + message.value("game")
                        + ", \"id\": " + message.value("id") + ", \"move\": \"" + choose(message) + "\"}");
                    break;
                case "over":
                    System.err.println("It ended: " + message.text("verdict"));
                    break;
                case "bye":
                    return;
            } // Ignore messages of other types.
        }
    }
}

// One message of the referee: a JSON object. Java has no JSON reader, so this class finds the values that we need.
class Message {
    private final String json;

    Message(String json) {
        this.json = json;
    }

    // The value of a key, as it is in the message: a text with its quotes. Empty if the message has no such key.
    String value(String key) {
        int depth = 0;
        for (int at = 0; at < json.length(); at++) {
            char c = json.charAt(at);
            if (c == '{' || c == '[') depth++;
            if (c == '}' || c == ']') depth--;
            if (c != '"') continue;
            int end = afterText(at), colon = afterBlanks(end);
            boolean isKey = depth == 1 && colon < json.length() && json.charAt(colon) == ':';
            if (isKey && json.substring(at + 1, end - 1).equals(key)) {
                int start = afterBlanks(colon + 1);
                return json.substring(start, afterValue(start));
            }
            at = end - 1;
        }
        return "";
    }

    // A text without its quotes. A \ in it stays as it is, so that the text can be sent back unchanged.
    String text(String key) {
        String value = value(key);
        return value.startsWith("\"") ? value.substring(1, value.length() - 1) : "";
    }

    // A list of texts, each without its quotes.
    List<String> texts(String key) {
        Message list = new Message(value(key));
        List<String> texts = new ArrayList<>();
        for (int at = list.json.indexOf('"'); at >= 0; at = list.json.indexOf('"', at)) {
            int end = list.afterText(at);
            texts.add(list.json.substring(at + 1, end - 1));
            at = end;
        }
        return texts;
    }

    // A list of lists of numbers.
    int[][] rows(String key) {
        String list = value(key).replaceAll("\\s", "");
        if (list.length() < 4) return new int[0][];
        String[] rows = list.substring(2, list.length() - 2).split("\\],\\[", -1);
        return Arrays.stream(rows).map(Message::numbers).toArray(int[][]::new);
    }

    private static int[] numbers(String row) {
        return row.isEmpty() ? new int[0] : Arrays.stream(row.split(",")).mapToInt(Integer::parseInt).toArray();
    }

    // The legal move that ends in this cell of the board; -1 is any row or column. If only one is legal, that one.
    String moveTo(int row, int column) {
        return moveTo(row, column, -1, -1);
    }

    // The one that starts in the second cell.
    String moveTo(int row, int column, int fromRow, int fromColumn) {
        if (texts("legal").size() == 1) return texts("legal").get(0);
        int[] wanted = {fromRow, fromColumn, row, column};
        int[][] cells = rows("cells");
        for (int at = 0; at < cells.length; at++) {
            boolean fits = cells[at].length == wanted.length;
            for (int n = 0; fits && n < wanted.length; n++) fits = wanted[n] == -1 || wanted[n] == cells[at][n];
            if (fits) return texts("legal").get(at);
        }
        return "";
    }

    // The place after the closing quote of the text that starts at a place.
    private int afterText(int start) {
        int at = start + 1;
        while (json.charAt(at) != '"') at += json.charAt(at) == '\\' ? 2 : 1; // an escaped quote does not close it
        return at + 1;
    }

    private int afterBlanks(int start) {
        int at = start;
        while (at < json.length() && Character.isWhitespace(json.charAt(at))) at++;
        return at;
    }

    // The place after the number, text, list or object that starts at a place.
    private int afterValue(int start) {
        int depth = 0;
        for (int at = start; at < json.length(); ) {
            char c = json.charAt(at);
            if (depth == 0 && (c == ',' || c == '}' || c == ']' || Character.isWhitespace(c))) return at;
            if (c == '{' || c == '[') depth++;
            if (c == '}' || c == ']') depth--;
            at = c == '"' ? afterText(at) : at + 1;
            if (depth == 0 && (c == '}' || c == ']')) return at;
        }
        return json.length();
    }
}
