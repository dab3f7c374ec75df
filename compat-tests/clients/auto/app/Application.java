package compat.auto;

import com.teoan.job.auto.core.model.XxlJobGroup;
import com.teoan.job.auto.core.model.XxlJobInfo;
import com.teoan.job.auto.core.service.JobGroupService;
import com.teoan.job.auto.core.service.JobInfoService;
import com.xxl.job.core.executor.impl.XxlJobSpringExecutor;
import java.io.IOException;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * An application whose scheduled methods xxl-job-auto registers as jobs, and which is their executor.
 *
 * <p>It prints "waiting" when it is about to register and goes on with the next line of standard input, so that several
 * can do so at the same moment; "ready" when all is registered; and it ends with its standard input. The library adds
 * what is missing but leaves a job that is there as it is: the application brings the schedule up to date itself,
 * through the library's own call.
 */
@SpringBootApplication
@EnableScheduling
public class Application {
    /** As the library names the handler of a method. */
    private static final String HANDLER = Jobs.class.getName() + "#beat";

    public static void main(String[] args) throws IOException {
        try {
            // The library registers before this returns.
            ApplicationContext context = SpringApplication.run(Application.class, args);
            update(context.getBean(JobGroupService.class), context.getBean(JobInfoService.class));
        } catch (RuntimeException e) {
            // Threads of the executor would keep the process.
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
        System.out.println("ready");
        while (System.in.read() != -1) {
            // Only the end matters.
        }
        System.exit(0);
    }

    private static void update(JobGroupService groups, JobInfoService jobs) {
        XxlJobGroup group = groups.getJobGroup().get(0);
        for (XxlJobInfo job : jobs.getJobInfo(group.getId(), HANDLER)) {
            if (!Jobs.CRON.equals(job.getScheduleConf())) {
                job.setScheduleConf(Jobs.CRON);
                // The times are the admin's.
                job.setAddTime(null);
                job.setUpdateTime(null);
                job.setGlueUpdatetime(null);
                if (!jobs.updateJobInfo(job)) {
                    throw new IllegalStateException("the schedule was not updated");
                }
            }
        }
    }

    @Bean(destroyMethod = "destroy")
    XxlJobSpringExecutor executor(
            @Value("${xxl.job.admin.addresses}") String admin,
            @Value("${xxl.job.accessToken}") String token,
            @Value("${xxl.job.executor.appname}") String appname,
            @Value("${compat.port}") int port) {
        XxlJobSpringExecutor executor = new XxlJobSpringExecutor();
        executor.setAdminAddresses(admin);
        executor.setAccessToken(token);
        executor.setAppname(appname);
        executor.setIp("127.0.0.1");
        executor.setPort(port);
        executor.setLogPath("logs");
        executor.setLogRetentionDays(30);
        return executor;
    }

    @EventListener(ApplicationReadyEvent.class)
    @Order(Ordered.HIGHEST_PRECEDENCE)
    public void await() throws IOException {
        System.out.println("waiting");
        while (System.in.read() > '\n') {
            // The rest of the line.
        }
    }
}
