package compat.auto;

import com.xxl.job.core.context.XxlJobHelper;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** The jobs of release 1 of the application. */
@Component
public class Jobs {
    static final String CRON = "0/3 * * * * ?";

    @Scheduled(cron = CRON)
    public void beat() {
        XxlJobHelper.log("release 1");
    }
}
