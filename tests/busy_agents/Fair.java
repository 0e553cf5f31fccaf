import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** In Java: works a tenth of a second for each move, and plays the first one that is legal. */
public class Fair {
    static final Pattern WORD = Pattern.compile("\"(type|id)\":\"([^\"]*)\"");
    static final Pattern GAME = Pattern.compile("\"game\":(\\d+)");
    static final Pattern LEGAL = Pattern.compile("\"legal\":\\[\"([^\"]*)\"");

    public static void main(String[] arguments) throws Exception {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String type = "", id = "";
            for (Matcher word = WORD.matcher(line); word.find(); ) {
                if (word.group(1).equals("type")) type = word.group(2); else id = word.group(2);
            }
            Matcher game = GAME.matcher(line);
            if (!game.find()) continue;
            if (type.equals("start")) {
                System.out.println("{\"type\":\"ready\",\"game\":" + game.group(1) + "}");
            } else if (type.equals("turn")) {
                long began = threads.getCurrentThreadCpuTime();
                while (threads.getCurrentThreadCpuTime() - began < 100_000_000L) { }
                Matcher legal = LEGAL.matcher(line);
                legal.find();
                System.out.println("{\"type\":\"move\",\"game\":" + game.group(1) + ",\"id\":\"" + id
                    + "\",\"move\":\"" + legal.group(1) + "\"}");
            }
            System.out.flush();
        }
    }
}
