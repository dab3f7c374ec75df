-- The eight tables of xxl-job, generation 3.4, for MySQL and MariaDB, with their seed rows.
--
--     mariadb xxl_job < sql/tables_xxl_job.sql
--
-- or, without this file, on an empty database: xxl-job-admin init-db. Nothing here drops or changes a table that is
-- already there. The seed login is admin / 123456; change it: xxl-job-admin password admin

SET NAMES utf8mb4;

-- Executors (a group is the set of nodes that share one app_name) and their addresses.
CREATE TABLE xxl_job_group (
  id           int          NOT NULL AUTO_INCREMENT,
  app_name     varchar(64)  NOT NULL COMMENT 'name under which executors register',
  title        varchar(64)  NOT NULL COMMENT 'name shown on the console',
  address_type tinyint      NOT NULL DEFAULT 0 COMMENT '0 = addresses come from the registry, 1 = entered by hand',
  address_list text         DEFAULT NULL COMMENT 'addresses, separated by commas',
  update_time  datetime     DEFAULT NULL,
  PRIMARY KEY (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_general_ci;

-- Executors that said lately that they are alive.
CREATE TABLE xxl_job_registry (
  id             bigint       NOT NULL AUTO_INCREMENT,
  registry_group varchar(50)  NOT NULL COMMENT 'kind of the entry',
  registry_key   varchar(255) NOT NULL COMMENT 'app_name of the executor',
  registry_value varchar(255) NOT NULL COMMENT 'its address',
  update_time    datetime     DEFAULT NULL COMMENT 'last beat',
  PRIMARY KEY (id),
  UNIQUE KEY i_g_k_v (registry_group, registry_key, registry_value)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_general_ci;

-- Jobs.
CREATE TABLE xxl_job_info (
  id                        int          NOT NULL AUTO_INCREMENT,
  job_group                 int          NOT NULL COMMENT 'id in xxl_job_group',
  job_desc                  varchar(255) NOT NULL,
  add_time                  datetime     DEFAULT NULL,
  update_time               datetime     DEFAULT NULL,
  author                    varchar(64)  DEFAULT NULL,
  alarm_email               varchar(255) DEFAULT NULL COMMENT 'addresses that get alarms, separated by commas',
  schedule_type             varchar(50)  NOT NULL DEFAULT 'NONE' COMMENT 'NONE, CRON or FIX_RATE',
  schedule_conf             varchar(128) DEFAULT NULL COMMENT 'cron expression or seconds, by schedule_type',
  misfire_strategy          varchar(50)  NOT NULL DEFAULT 'DO_NOTHING' COMMENT 'DO_NOTHING or FIRE_ONCE_NOW',
  executor_route_strategy   varchar(50)  DEFAULT NULL COMMENT 'how a node of the group is chosen',
  executor_handler          varchar(255) DEFAULT NULL COMMENT 'name of the handler in the executor',
  executor_param            text         DEFAULT NULL,
  executor_block_strategy   varchar(50)  DEFAULT NULL COMMENT 'what a node does with a run while one is running',
  executor_timeout          int          NOT NULL DEFAULT 0 COMMENT 'seconds, 0 = none',
  executor_fail_retry_count int          NOT NULL DEFAULT 0,
  glue_type                 varchar(50)  NOT NULL COMMENT 'BEAN, or the language of the script',
  glue_source               mediumtext   DEFAULT NULL COMMENT 'the script',
  glue_remark               varchar(128) DEFAULT NULL COMMENT 'note on its last change',
  glue_updatetime           datetime     DEFAULT NULL,
  child_jobid               varchar(255) DEFAULT NULL COMMENT 'jobs to run after this one, separated by commas',
  trigger_status            tinyint      NOT NULL DEFAULT 0 COMMENT '0 = stopped, 1 = running',
  trigger_last_time         bigint(13)   NOT NULL DEFAULT 0 COMMENT 'milliseconds since 1970, 0 = never',
  trigger_next_time         bigint(13)   NOT NULL DEFAULT 0 COMMENT 'milliseconds since 1970, 0 = never',
  PRIMARY KEY (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_general_ci;

-- Earlier versions of the scripts of jobs.
CREATE TABLE xxl_job_logglue (
  id          int          NOT NULL AUTO_INCREMENT,
  job_id      int          NOT NULL COMMENT 'id in xxl_job_info',
  glue_type   varchar(50)  DEFAULT NULL,
  glue_source mediumtext   DEFAULT NULL,
  glue_remark varchar(128) NOT NULL,
  add_time    datetime     DEFAULT NULL,
  update_time datetime     DEFAULT NULL,
  PRIMARY KEY (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_general_ci;

-- One row for each call of a job on a node: how the call went (trigger), how the run went (handle).
CREATE TABLE xxl_job_log (
  id                        bigint       NOT NULL AUTO_INCREMENT,
  job_group                 int          NOT NULL COMMENT 'id in xxl_job_group',
  job_id                    int          NOT NULL COMMENT 'id in xxl_job_info',
  executor_address          varchar(255) DEFAULT NULL COMMENT 'the node that was called',
  executor_handler          varchar(255) DEFAULT NULL,
  executor_param            text         DEFAULT NULL,
  executor_sharding_param   varchar(20)  DEFAULT NULL COMMENT 'index/total of a broadcast',
  executor_fail_retry_count int          NOT NULL DEFAULT 0 COMMENT 'retries that are left',
  trigger_time              datetime     DEFAULT NULL,
  trigger_code              int          NOT NULL COMMENT '0 = not called yet, 200 = accepted',
  trigger_msg               text         DEFAULT NULL,
  handle_time               datetime     DEFAULT NULL,
  handle_code               int          NOT NULL COMMENT '0 = no result yet, 200 = success',
  handle_msg                text         DEFAULT NULL,
  alarm_status              tinyint      NOT NULL DEFAULT 0 COMMENT '0 = open, 1 = none needed, 2 = sent, 3 = failed',
  PRIMARY KEY (id),
  KEY I_trigger_time (trigger_time),
  KEY I_handle_code (handle_code),
  KEY I_jobgroup (job_group),
  KEY I_jobid (job_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_general_ci;

-- Runs counted by day.
CREATE TABLE xxl_job_log_report (
  id            int      NOT NULL AUTO_INCREMENT,
  trigger_day   datetime DEFAULT NULL COMMENT 'the day, at 00:00',
  running_count int      NOT NULL DEFAULT 0,
  suc_count     int      NOT NULL DEFAULT 0,
  fail_count    int      NOT NULL DEFAULT 0,
  update_time   datetime DEFAULT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY i_trigger_day (trigger_day)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_general_ci;

-- The row schedule_lock: whoever holds its lock may claim due jobs.
CREATE TABLE xxl_job_lock (
  lock_name varchar(50) NOT NULL,
  PRIMARY KEY (lock_name)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_general_ci;

-- Logins of the console.
CREATE TABLE xxl_job_user (
  id         int          NOT NULL AUTO_INCREMENT,
  username   varchar(50)  NOT NULL,
  password   varchar(100) NOT NULL COMMENT 'sha-256 of it, in hex',
  token      varchar(100) DEFAULT NULL COMMENT 'the present login',
  role       tinyint      NOT NULL COMMENT '0 = plain user, 1 = administrator',
  permission varchar(255) DEFAULT NULL COMMENT 'ids of the groups a plain user may use, separated by commas',
  PRIMARY KEY (id),
  UNIQUE KEY i_username (username)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_general_ci;

INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list, update_time)
VALUES (1, 'xxl-job-executor-sample', '通用执行器Sample', 0, NULL, '2026-01-01 00:00:00');

INSERT INTO xxl_job_info (id, job_group, job_desc, add_time, update_time, author, alarm_email, schedule_type, schedule_conf, misfire_strategy, executor_route_strategy, executor_handler, executor_param, executor_block_strategy, executor_timeout, executor_fail_retry_count, glue_type, glue_source, glue_remark, glue_updatetime, child_jobid)
VALUES (1, 1, '示例任务01', '2026-01-01 00:00:00', '2026-01-01 00:00:00', 'XXL', '', 'CRON', '0 0 0 * * ? *', 'DO_NOTHING', 'FIRST', 'demoJobHandler', '', 'SERIAL_EXECUTION', 0, 0, 'BEAN', '', 'GLUE代码初始化', '2026-01-01 00:00:00', '');

INSERT INTO xxl_job_lock (lock_name)
VALUES ('schedule_lock');

INSERT INTO xxl_job_user (id, username, password, role, permission)
VALUES (1, 'admin', '8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92', 1, NULL);
