import com.xxl.job.core.context.XxlJobHelper;
import com.xxl.job.core.executor.impl.XxlJobSimpleExecutor;
import com.xxl.job.core.handler.annotation.XxlJob;
import com.xxl.job.core.log.XxlJobFileAppender;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One executor of xxl-job-core 2.3.0 to 3.3.2; compiled once for each release. */
public final class Node {
    private static XxlJobSimpleExecutor executor;

    /** Starts the executor; settings: appname, port, admin addresses, token ("-" for none), log path. */
    public static void start(String[] settings) throws ReflectiveOperationException {
        keepUnsentResultsIn(settings[4]);
        XxlJobSimpleExecutor made = new XxlJobSimpleExecutor();
        made.setAppname(settings[0]);
        made.setIp("127.0.0.1");
        made.setPort(Integer.parseInt(settings[1]));
        made.setAdminAddresses(settings[2]);
        made.setAccessToken(settings[3].equals("-") ? null : settings[3]);
        made.setLogPath(settings[4]);
        made.setLogRetentionDays(7);
        List<Object> beans = new ArrayList<>();
        beans.add(new Jobs());
        made.setXxlJobBeanList(beans);
        made.start();
        executor = made;
    }

    public static void stop() {
        executor.destroy();
    }

    /**
     * Release 3.3 keeps results that no admin took in one fixed folder of the machine, whatever the log path: executors
     * beside each other would take one another's and send them to an admin that does not know them. Other releases use
     * the log path.
     */
    private static void keepUnsentResultsIn(String logPath) throws ReflectiveOperationException {
        for (Field field : XxlJobFileAppender.class.getDeclaredFields()) {
            if (field.getName().equals("callbackLogPath")) {
                field.setAccessible(true);
                field.set(null, logPath + "/callbacklogs");
            }
        }
    }

    /** The handlers; every executor of the suite has the same ones. */
    public static final class Jobs {
        @XxlJob("ok")
        public void ok() {
            XxlJobHelper.log("one line");
        }

        @XxlJob("echo")
        public void echo() {
            XxlJobHelper.handleSuccess("param=[" + XxlJobHelper.getJobParam() + "]");
        }

        @XxlJob("fail")
        public void fail() {
            XxlJobHelper.handleFail("failed on purpose");
        }

        // Named so because "throw" is a word of the language.
        @XxlJob("throw")
        public void throwing() {
            throw new IllegalStateException("thrown on purpose");
        }

        /** Sleeps param milliseconds and gives up when interrupted. */
        @XxlJob("sleep")
        public void sleep() throws InterruptedException {
            Thread.sleep(Long.parseLong(XxlJobHelper.getJobParam()));
            XxlJobHelper.handleSuccess("slept " + XxlJobHelper.getJobParam());
        }

        /**
         * Writes param.started, then waits for param.open and writes param.passed; when interrupted writes
         * param.interrupted and gives up.
         */
        @XxlJob("gate")
        public void gate() throws Exception {
            String gate = XxlJobHelper.getJobParam();
            Files.createFile(Path.of(gate + ".started"));
            try {
                while (!Files.exists(Path.of(gate + ".open"))) {
                    Thread.sleep(20);
                }
            } catch (InterruptedException e) {
                Files.createFile(Path.of(gate + ".interrupted"));
                throw e;
            }
            Files.createFile(Path.of(gate + ".passed"));
            XxlJobHelper.handleSuccess("passed");
        }

        /** As gate, but deaf to interrupts; writes param.ended at the end. */
        @XxlJob("stubborn")
        public void stubborn() throws Exception {
            String gate = XxlJobHelper.getJobParam();
            Files.createFile(Path.of(gate + ".started"));
            while (!Files.exists(Path.of(gate + ".open"))) {
                try {
                    Thread.sleep(20);
                } catch (InterruptedException e) {
                    // deaf on purpose
                }
            }
            Files.createFile(Path.of(gate + ".ended"));
            XxlJobHelper.handleSuccess("passed");
        }

        @XxlJob("shard")
        public void shard() {
            String shard = "shard " + XxlJobHelper.getShardIndex() + "/" + XxlJobHelper.getShardTotal();
            XxlJobHelper.log(shard);
            XxlJobHelper.handleSuccess(shard);
        }

        @XxlJob("log200")
        public void log200() {
            for (int i = 0; i < 200; i++) {
                XxlJobHelper.log(String.format("log line %03d", i));
            }
        }
    }

    private Node() {}
}
