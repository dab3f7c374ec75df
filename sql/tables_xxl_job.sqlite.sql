-- The eight tables of xxl-job, generation 3.4, for SQLite, with their seed rows.
--
--     sqlite3 xxl-job.db < sql/tables_xxl_job.sqlite.sql
--
-- or, without this file, on an empty database: xxl-job-admin init-db. Nothing here drops or changes a table that is
-- already there. The seed login is admin / 123456; change it: xxl-job-admin password admin

-- Executors (a group is the set of nodes that share one app_name) and their addresses.
CREATE TABLE xxl_job_group (
  id                        INTEGER      PRIMARY KEY AUTOINCREMENT,
  app_name                  VARCHAR(64)  NOT NULL, -- name under which executors register
  title                     VARCHAR(64)  NOT NULL, -- name shown on the console
  address_type              INTEGER      NOT NULL DEFAULT 0, -- 0 = addresses come from the registry, 1 = entered by hand
  address_list              TEXT         DEFAULT NULL, -- addresses, separated by commas
  update_time               DATETIME     DEFAULT NULL
);

-- Executors that said lately that they are alive.
CREATE TABLE xxl_job_registry (
  id                        INTEGER      PRIMARY KEY AUTOINCREMENT,
  registry_group            VARCHAR(50)  NOT NULL, -- kind of the entry
  registry_key              VARCHAR(255) NOT NULL, -- app_name of the executor
  registry_value            VARCHAR(255) NOT NULL, -- its address
  update_time               DATETIME     DEFAULT NULL -- last beat
);
CREATE UNIQUE INDEX i_g_k_v ON xxl_job_registry (registry_group, registry_key, registry_value);

-- Jobs.
CREATE TABLE xxl_job_info (
  id                        INTEGER      PRIMARY KEY AUTOINCREMENT,
  job_group                 INTEGER      NOT NULL, -- id in xxl_job_group
  job_desc                  VARCHAR(255) NOT NULL,
  add_time                  DATETIME     DEFAULT NULL,
  update_time               DATETIME     DEFAULT NULL,
  author                    VARCHAR(64)  DEFAULT NULL,
  alarm_email               VARCHAR(255) DEFAULT NULL, -- addresses that get alarms, separated by commas
  schedule_type             VARCHAR(50)  NOT NULL DEFAULT 'NONE', -- NONE, CRON or FIX_RATE
  schedule_conf             VARCHAR(128) DEFAULT NULL, -- cron expression or seconds, by schedule_type
  misfire_strategy          VARCHAR(50)  NOT NULL DEFAULT 'DO_NOTHING', -- DO_NOTHING or FIRE_ONCE_NOW
  executor_route_strategy   VARCHAR(50)  DEFAULT NULL, -- how a node of the group is chosen
  executor_handler          VARCHAR(255) DEFAULT NULL, -- name of the handler in the executor
  executor_param            TEXT         DEFAULT NULL,
  executor_block_strategy   VARCHAR(50)  DEFAULT NULL, -- what a node does with a run while one is running
  executor_timeout          INTEGER      NOT NULL DEFAULT 0, -- seconds, 0 = none
  executor_fail_retry_count INTEGER      NOT NULL DEFAULT 0,
  glue_type                 VARCHAR(50)  NOT NULL, -- BEAN, or the language of the script
  glue_source               TEXT         DEFAULT NULL, -- the script
  glue_remark               VARCHAR(128) DEFAULT NULL, -- note on its last change
  glue_updatetime           DATETIME     DEFAULT NULL,
  child_jobid               VARCHAR(255) DEFAULT NULL, -- jobs to run after this one, separated by commas
  trigger_status            INTEGER      NOT NULL DEFAULT 0, -- 0 = stopped, 1 = running
  trigger_last_time         BIGINT       NOT NULL DEFAULT 0, -- milliseconds since 1970, 0 = never
  trigger_next_time         BIGINT       NOT NULL DEFAULT 0 -- milliseconds since 1970, 0 = never
);

-- Earlier versions of the scripts of jobs.
CREATE TABLE xxl_job_logglue (
  id                        INTEGER      PRIMARY KEY AUTOINCREMENT,
  job_id                    INTEGER      NOT NULL, -- id in xxl_job_info
  glue_type                 VARCHAR(50)  DEFAULT NULL,
  glue_source               TEXT         DEFAULT NULL,
  glue_remark               VARCHAR(128) NOT NULL,
  add_time                  DATETIME     DEFAULT NULL,
  update_time               DATETIME     DEFAULT NULL
);

-- One row for each call of a job on a node: how the call went (trigger), how the run went (handle).
CREATE TABLE xxl_job_log (
  id                        INTEGER      PRIMARY KEY AUTOINCREMENT,
  job_group                 INTEGER      NOT NULL, -- id in xxl_job_group
  job_id                    INTEGER      NOT NULL, -- id in xxl_job_info
  executor_address          VARCHAR(255) DEFAULT NULL, -- the node that was called
  executor_handler          VARCHAR(255) DEFAULT NULL,
  executor_param            TEXT         DEFAULT NULL,
  executor_sharding_param   VARCHAR(20)  DEFAULT NULL, -- index/total of a broadcast
  executor_fail_retry_count INTEGER      NOT NULL DEFAULT 0, -- retries that are left
  trigger_time              DATETIME     DEFAULT NULL,
  trigger_code              INTEGER      NOT NULL, -- 0 = not called yet, 200 = accepted
  trigger_msg               TEXT         DEFAULT NULL,
  handle_time               DATETIME     DEFAULT NULL,
  handle_code               INTEGER      NOT NULL, -- 0 = no result yet, 200 = success
  handle_msg                TEXT         DEFAULT NULL,
  alarm_status              INTEGER      NOT NULL DEFAULT 0 -- 0 = open, 1 = none needed, 2 = sent, 3 = failed
);
CREATE INDEX I_trigger_time ON xxl_job_log (trigger_time);
CREATE INDEX I_handle_code ON xxl_job_log (handle_code);
CREATE INDEX I_jobgroup ON xxl_job_log (job_group);
CREATE INDEX I_jobid ON xxl_job_log (job_id);

-- Runs counted by day.
CREATE TABLE xxl_job_log_report (
  id                        INTEGER      PRIMARY KEY AUTOINCREMENT,
  trigger_day               DATETIME     DEFAULT NULL, -- the day, at 00:00
  running_count             INTEGER      NOT NULL DEFAULT 0,
  suc_count                 INTEGER      NOT NULL DEFAULT 0,
  fail_count                INTEGER      NOT NULL DEFAULT 0,
  update_time               DATETIME     DEFAULT NULL
);
CREATE UNIQUE INDEX i_trigger_day ON xxl_job_log_report (trigger_day);

-- The row schedule_lock: whoever holds its lock may claim due jobs.
CREATE TABLE xxl_job_lock (
  lock_name                 VARCHAR(50)  NOT NULL,
  PRIMARY KEY (lock_name)
);

-- Logins of the console.
CREATE TABLE xxl_job_user (
  id                        INTEGER      PRIMARY KEY AUTOINCREMENT,
  username                  VARCHAR(50)  NOT NULL,
  password                  VARCHAR(100) NOT NULL, -- sha-256 of it, in hex
  token                     VARCHAR(100) DEFAULT NULL, -- the present login
  role                      INTEGER      NOT NULL, -- 0 = plain user, 1 = administrator
  permission                VARCHAR(255) DEFAULT NULL -- ids of the groups a plain user may use, separated by commas
);
CREATE UNIQUE INDEX i_username ON xxl_job_user (username);

INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list, update_time)
VALUES (1, 'xxl-job-executor-sample', '通用执行器Sample', 0, NULL, '2026-01-01 00:00:00');

INSERT INTO xxl_job_info (id, job_group, job_desc, add_time, update_time, author, alarm_email, schedule_type, schedule_conf, misfire_strategy, executor_route_strategy, executor_handler, executor_param, executor_block_strategy, executor_timeout, executor_fail_retry_count, glue_type, glue_source, glue_remark, glue_updatetime, child_jobid)
VALUES (1, 1, '示例任务01', '2026-01-01 00:00:00', '2026-01-01 00:00:00', 'XXL', '', 'CRON', '0 0 0 * * ? *', 'DO_NOTHING', 'FIRST', 'demoJobHandler', '', 'SERIAL_EXECUTION', 0, 0, 'BEAN', '', 'GLUE代码初始化', '2026-01-01 00:00:00', '');

INSERT INTO xxl_job_lock (lock_name)
VALUES ('schedule_lock');

INSERT INTO xxl_job_user (id, username, password, role, permission)
VALUES (1, 'admin', '8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92', 1, NULL);
