import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** In Java: makes garbage and collects it in several threads, and plays the first move that is legal. */
public class Garbage {
    static final Pattern GAME = Pattern.compile("\"game\":(\\d+)");
    static final Pattern ID = Pattern.compile("\"id\":\"([^\"]*)\"");
    static final Pattern LEGAL = Pattern.compile("\"legal\":\\[\"([^\"]*)\"");
    static final List<byte[]> kept = new ArrayList<>();

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Matcher game = GAME.matcher(line), id = ID.matcher(line), legal = LEGAL.matcher(line);
            if (line.contains("\"type\":\"start\"") && game.find()) {
                System.out.println("{\"type\":\"ready\",\"game\":" + game.group(1) + "}");
            } else if (game.find() && id.find() && legal.find()) {
                for (int each = 0; each < 200; each++) {
                    kept.add(new byte[1 << 18]);
                    if (kept.size() > 2000) kept.subList(0, 1000).clear();
                }
                System.out.println("{\"type\":\"move\",\"game\":" + game.group(1) + ",\"id\":\"" + id.group(1)
                    + "\",\"move\":\"" + legal.group(1) + "\"}");
            }
            System.out.flush();
        }
    }
}
