import com.xxl.job.core.biz.model.ReturnT;
import com.xxl.job.core.executor.XxlJobExecutor;
import com.xxl.job.core.handler.IJobHandler;
import com.xxl.job.core.log.XxlJobLogger;
import com.xxl.job.core.util.ShardingUtil;
import java.nio.file.Files;
import java.nio.file.Path;

/** One executor of xxl-job-core 2.2.0, which has no simple executor and no XxlJobHelper yet. */
public final class Node {
    private static XxlJobExecutor executor;

    /** A handler body; the answer's message may be null. */
    private interface Body {
        ReturnT<String> run(String param) throws Exception;
    }

    /** Starts the executor; settings: appname, port, admin addresses, token ("-" for none), log path. */
    public static void start(String[] settings) throws Exception {
        registerHandlers();
        XxlJobExecutor made = new XxlJobExecutor();
        made.setAppname(settings[0]);
        made.setIp("127.0.0.1");
        made.setPort(Integer.parseInt(settings[1]));
        made.setAdminAddresses(settings[2]);
        made.setAccessToken(settings[3].equals("-") ? null : settings[3]);
        made.setLogPath(settings[4]);
        made.setLogRetentionDays(7);
        made.start();
        executor = made;
    }

    public static void stop() {
        executor.destroy();
    }

    private static void registerHandlers() {
        register("ok", param -> {
            XxlJobLogger.log("one line");
            return ReturnT.SUCCESS;
        });
        register("echo", param -> success("param=[" + param + "]"));
        register("fail", param -> new ReturnT<>(ReturnT.FAIL_CODE, "failed on purpose"));
        register("throw", param -> {
            throw new IllegalStateException("thrown on purpose");
        });
        register("sleep", param -> {
            Thread.sleep(Long.parseLong(param));
            return success("slept " + param);
        });
        register("gate", Node::gate);
        register("stubborn", Node::stubborn);
        register("shard", param -> {
            ShardingUtil.ShardingVO vo = ShardingUtil.getShardingVo();
            String shard = "shard " + vo.getIndex() + "/" + vo.getTotal();
            XxlJobLogger.log(shard);
            return success(shard);
        });
        register("log200", param -> {
            for (int i = 0; i < 200; i++) {
                XxlJobLogger.log(String.format("log line %03d", i));
            }
            return ReturnT.SUCCESS;
        });
    }

    private static void register(String name, Body body) {
        XxlJobExecutor.registJobHandler(name, new IJobHandler() {
            @Override
            public ReturnT<String> execute(String param) throws Exception {
                return body.run(param);
            }
        });
    }

    private static ReturnT<String> success(String message) {
        return new ReturnT<>(ReturnT.SUCCESS_CODE, message);
    }

    /**
     * Writes param.started, then waits for param.open and writes param.passed; when interrupted writes
     * param.interrupted and gives up.
     */
    private static ReturnT<String> gate(String gate) throws Exception {
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
        return success("passed");
    }

    /** As gate, but deaf to interrupts; writes param.ended at the end. */
    private static ReturnT<String> stubborn(String gate) throws Exception {
        Files.createFile(Path.of(gate + ".started"));
        while (!Files.exists(Path.of(gate + ".open"))) {
            try {
                Thread.sleep(20);
            } catch (InterruptedException e) {
                // deaf on purpose
            }
        }
        Files.createFile(Path.of(gate + ".ended"));
        return success("passed");
    }

    private Node() {}
}
