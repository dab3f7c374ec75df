import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Hosts executors of many releases in one JVM and obeys lines on standard input:
 *
 * <pre>
 * start NAME VERSION APPNAME PORT ADMIN_URLS TOKEN   answered by "started NAME" once the port accepts connections
 * stop NAME                                          answered by "stopped NAME" after the executor's own shutdown
 * quit                                               ends the JVM at once, as does the end of standard input
 * </pre>
 *
 * What goes wrong is answered by "failed NAME REASON". Commands run side by side, so answers may come in any order.
 * Each executor lives in a class loader of its own (the release's jars and our classes for it; parent: the platform
 * loader), because the executor keeps its state in statics: two executors of one release need two loaders as well.
 * The only argument is the folder that build-executors.sh fills: DIR/VERSION/classes and DIR/VERSION/jars.
 */
public final class Launcher {
    private static final PrintStream ANSWERS = System.out;
    private static final Map<String, Class<?>> NODES = new ConcurrentHashMap<>();

    public static void main(String[] args) throws Exception {
        // Standard output belongs to the answers; whatever an executor prints goes to the other stream.
        System.setOut(System.err);
        File versions = new File(args[0]);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.trim().split(" +");
            if (words[0].equals("quit")) {
                break;
            }
            if (words.length > 1) {
                new Thread(() -> obey(versions, words), words[0] + " " + words[1]).start();
            }
        }
        // The callback and registry threads of running executors are no daemons.
        Runtime.getRuntime().halt(0);
    }

    private static void obey(File versions, String[] words) {
        String name = words[1];
        try {
            switch (words[0]) {
                case "start" -> start(versions, name, words);
                case "stop" -> stop(name);
                default -> throw new IllegalArgumentException("unknown command " + words[0]);
            }
        } catch (InvocationTargetException e) {
            answer("failed " + name + " " + e.getCause());
        } catch (Exception | LinkageError e) {
            answer("failed " + name + " " + e);
        }
    }

    private static void start(File versions, String name, String[] words) throws Exception {
        Class<?> node = load(new File(versions, words[2]));
        Thread.currentThread().setContextClassLoader(node.getClassLoader());
        String[] settings = {words[3], words[4], words[5], words[6], "logs/" + name};
        node.getMethod("start", String[].class).invoke(null, (Object) settings);
        NODES.put(name, node);
        awaitPort(Integer.parseInt(words[4]));
        answer("started " + name);
    }

    private static void stop(String name) throws Exception {
        Class<?> node = NODES.remove(name);
        if (node == null) {
            throw new IllegalArgumentException("no such executor");
        }
        Thread.currentThread().setContextClassLoader(node.getClassLoader());
        node.getMethod("stop").invoke(null);
        answer("stopped " + name);
    }

    private static Class<?> load(File version) throws Exception {
        List<URL> path = new ArrayList<>();
        path.add(new File(version, "classes").toURI().toURL());
        File[] jars = new File(version, "jars").listFiles((dir, file) -> file.endsWith(".jar"));
        if (jars == null) {
            throw new IllegalArgumentException("no jars of release " + version.getName());
        }
        for (File jar : jars) {
            path.add(jar.toURI().toURL());
        }
        // Stays open as long as the JVM lives: an executor loads classes even while it stops.
        URLClassLoader loader = new URLClassLoader(path.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
        return loader.loadClass("Node");
    }

    /** The embedded server binds in a thread of its own; "started" must mean that it can be called. */
    private static void awaitPort(int port) throws Exception {
        long deadline = System.nanoTime() + 30_000_000_000L;
        while (true) {
            try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return;
            } catch (java.io.IOException e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
                Thread.sleep(20);
            }
        }
    }

    private static void answer(String line) {
        synchronized (ANSWERS) {
            ANSWERS.println(line.replace('\n', ' '));
            ANSWERS.flush();
        }
    }

    private Launcher() {}
}
