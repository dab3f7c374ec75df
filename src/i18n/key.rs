//! The names of all texts, as a type: a text that does not exist cannot be asked for.

/// Declares [`Key`] with the names that the locale files use.
macro_rules! keys {
    ($($(#[$meta:meta])* $variant:ident = $name:literal,)+) => {
        /// A text of the locale files. The doc line of each shows its English wording.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Key { $($(#[$meta])* $variant),+ }

        impl Key {
            /// Every key, in the order of the locale files.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The name in the locale files, which is the one that the Java admin uses.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

keys! {
    // Stored in runs: trigger messages, results, mails.
    /// `Distributed Task Scheduling Platform XXL-JOB`
    AdminNameFull = "admin_name_full",
    /// `Distributed Task Scheduling Platform｜XXL-JOB`
    AdminNameFullSince33 = "admin_name_full_since_3_3",
    /// `success`
    SystemSuccess = "system_success",
    /// `fail`
    SystemFail = "system_fail",
    /// `Job trigger type`
    JobconfTriggerType = "jobconf_trigger_type",
    /// `Cron trigger`
    JobconfTriggerTypeCron = "jobconf_trigger_type_cron",
    /// `Manual trigger`
    JobconfTriggerTypeManual = "jobconf_trigger_type_manual",
    /// `Parent job trigger`
    JobconfTriggerTypeParent = "jobconf_trigger_type_parent",
    /// `Api trigger`
    JobconfTriggerTypeApi = "jobconf_trigger_type_api",
    /// `Fail retry trigger`
    JobconfTriggerTypeRetry = "jobconf_trigger_type_retry",
    /// `Misfire compensation trigger`
    JobconfTriggerTypeMisfire = "jobconf_trigger_type_misfire",
    /// `Trigger machine address`
    JobconfTriggerAdminAdress = "jobconf_trigger_admin_adress",
    /// `Execotor-Registry Type`
    JobconfTriggerExeRegtype = "jobconf_trigger_exe_regtype",
    /// `Execotor-Registry Address`
    JobconfTriggerExeRegaddress = "jobconf_trigger_exe_regaddress",
    /// `Automatic registration`
    JobgroupFieldAddressType0 = "jobgroup_field_addressType_0",
    /// `Manual registration`
    JobgroupFieldAddressType1 = "jobgroup_field_addressType_1",
    /// `Route Strategy`
    JobinfoFieldExecutorRouteStrategy = "jobinfo_field_executorRouteStrategy",
    /// `Block Strategy`
    JobinfoFieldExecutorBlockStrategy = "jobinfo_field_executorBlockStrategy",
    /// `Job timeout period`
    JobinfoFieldTimeout = "jobinfo_field_timeout",
    /// `Fail Retry Count`
    JobinfoFieldExecutorFailRetryCount = "jobinfo_field_executorFailRetryCount",
    /// `First`
    JobconfRouteFirst = "jobconf_route_first",
    /// `Last`
    JobconfRouteLast = "jobconf_route_last",
    /// `Round`
    JobconfRouteRound = "jobconf_route_round",
    /// `Random`
    JobconfRouteRandom = "jobconf_route_random",
    /// `Consistent Hash`
    JobconfRouteConsistenthash = "jobconf_route_consistenthash",
    /// `Least Frequently Used`
    JobconfRouteLfu = "jobconf_route_lfu",
    /// `Least Recently Used`
    JobconfRouteLru = "jobconf_route_lru",
    /// `Failover`
    JobconfRouteFailover = "jobconf_route_failover",
    /// `Busyover`
    JobconfRouteBusyover = "jobconf_route_busyover",
    /// `Sharding Broadcast`
    JobconfRouteShard = "jobconf_route_shard",
    /// `Serial execution`
    JobconfBlockSerialExecution = "jobconf_block_SERIAL_EXECUTION",
    /// `Discard Later`
    JobconfBlockDiscardLater = "jobconf_block_DISCARD_LATER",
    /// `Cover Early`
    JobconfBlockCoverEarly = "jobconf_block_COVER_EARLY",
    /// `Trigger Job`
    JobconfTriggerRun = "jobconf_trigger_run",
    /// `Trigger Fail：registry address is empty`
    JobconfTriggerAddressEmpty = "jobconf_trigger_address_empty",
    /// `Heartbeats`
    JobconfBeat = "jobconf_beat",
    /// `Idle check`
    JobconfIdleBeat = "jobconf_idleBeat",
    /// `Trigger child job`
    JobconfTriggerChildRun = "jobconf_trigger_child_run",
    /// `{0}/{1} [Job ID={2}], Trigger {3}, Trigger msg: {4} <br>`
    JobconfCallbackChildMsg1 = "jobconf_callback_child_msg1",
    /// `{0}/{1} [Job ID={2}], Trigger Fail, Trigger msg: Job ID is illegal <br>`
    JobconfCallbackChildMsg2 = "jobconf_callback_child_msg2",
    /// `Job result lost, marked as failure`
    JoblogLostFail = "joblog_lost_fail",
    /// `Manual operation, kill job`
    JoblogKillLogByman = "joblog_kill_log_byman",
    /// `Task Scheduling Center monitor alarm`
    JobconfMonitor = "jobconf_monitor",
    /// `monitor alarm details`
    JobconfMonitorDetail = "jobconf_monitor_detail",
    /// `Alarm Type`
    JobconfMonitorAlarmTitle = "jobconf_monitor_alarm_title",
    /// `Trigger Fail`
    JobconfMonitorAlarmType = "jobconf_monitor_alarm_type",
    /// `Alarm Content`
    JobconfMonitorAlarmContent = "jobconf_monitor_alarm_content",
    /// `Executor`
    JobinfoFieldJobgroup = "jobinfo_field_jobgroup",
    /// `Job ID`
    JobinfoFieldId = "jobinfo_field_id",
    /// `Job description`
    JobinfoFieldJobdesc = "jobinfo_field_jobdesc",
    /// `Executor Address`
    JoblogFieldExecutorAddress = "joblog_field_executorAddress",
    /// `Param`
    JobinfoFieldExecutorparam = "jobinfo_field_executorparam",
    /// `Trigger Msg`
    JoblogFieldTriggerMsg = "joblog_field_triggerMsg",

    // Answers of the console.
    /// `please input`
    SystemPleaseInput = "system_please_input",
    /// `please choose`
    SystemPleaseChoose = "system_please_choose",
    /// `illegal`
    SystemUnvalid = "system_unvalid",
    /// `OneData`
    SystemOneData = "system_one_data",
    /// `not exist`
    SystemNotFound = "system_not_found",
    /// `Permission limit`
    SystemPermissionLimit = "system_permission_limit",
    /// `Username or password is empty`
    LoginParamEmpty = "login_param_empty",
    /// `Username or password error`
    LoginParamUnvalid = "login_param_unvalid",
    /// `Title`
    JobgroupFieldTitle = "jobgroup_field_title",
    /// `AppName length is limited to 4~64`
    JobgroupFieldAppnameLength = "jobgroup_field_appname_length",
    /// `Manually registration type, the machine address must not be empty`
    JobgroupFieldAddressTypeLimit = "jobgroup_field_addressType_limit",
    /// `machine address`
    JobgroupFieldRegistryList = "jobgroup_field_registryList",
    /// `registry machine address is illegal`
    JobgroupFieldRegistryListUnvalid = "jobgroup_field_registryList_unvalid",
    /// `Refuse to delete, the executor is being used`
    JobgroupDelLimit0 = "jobgroup_del_limit_0",
    /// `Refuses to delete, the system retains at least one executor`
    JobgroupDelLimit1 = "jobgroup_del_limit_1",
    /// `Author`
    JobinfoFieldAuthor = "jobinfo_field_author",
    /// `Add Job`
    JobinfoFieldAddSince33 = "jobinfo_field_add_since_3_3",
    /// `GLUE Type`
    JobinfoFieldGluetype = "jobinfo_field_gluetype",
    /// `Child Job ID`
    JobinfoFieldChildJobId = "jobinfo_field_childJobId",
    /// `Schedule Type`
    ScheduleType = "schedule_type",
    /// `The current schedule type disables startup`
    ScheduleTypeNoneLimitStart = "schedule_type_none_limit_start",
    /// `Misfire strategy`
    MisfireStrategy = "misfire_strategy",
    /// `Job ID is illegal`
    JobinfoGlueJobidUnvalid = "jobinfo_glue_jobid_unvalid",
    /// `Log ID is illegal`
    JoblogLogidUnvalid = "joblog_logid_unvalid",
    /// `Trigger Fail, can not kill job`
    JoblogKillLogLimit = "joblog_kill_log_limit",
    /// `Clean type is illegal`
    JoblogCleanTypeUnvalid = "joblog_clean_type_unvalid",
    /// `Length limit`
    SystemLengthLimit = "system_lengh_limit",
    /// `There is no valid executor. Please contact the administrator`
    JobgroupEmpty = "jobgroup_empty",
    /// `Resource Remark`
    JobinfoGlueRemark = "jobinfo_glue_remark",
    /// `Resource Remark length is limited to 4~100`
    JobinfoGlueRemarkLimit = "jobinfo_glue_remark_limit",
    /// `The job is not GLUE Type`
    JobinfoGlueGluetypeUnvalid = "jobinfo_glue_gluetype_unvalid",
    /// `GLUE Source`
    JobinfoGlueSource = "jobinfo_glue_source",
    /// `Username`
    UserUsername = "user_username",
    /// `Password`
    UserPassword = "user_password",
    /// `Username Repeat`
    UserUsernameRepeat = "user_username_repeat",
    /// `Operation of current login account is not allowed`
    UserUpdateLoginuserLimit = "user_update_loginuser_limit",
    /// `old password`
    ChangePwdFieldOldpwd = "change_pwd_field_oldpwd",

    // Pages of the console.
    /// `Scheduling Center`
    AdminName = "admin_name",
    /// `Confirm`
    SystemOk = "system_ok",
    /// `Save`
    SystemSave = "system_save",
    /// `Close`
    SystemClose = "system_close",
    /// `Search`
    SystemSearch = "system_search",
    /// `Operate`
    SystemOpt = "system_opt",
    /// `All`
    SystemAll = "system_all",
    /// `Status`
    SystemStatus = "system_status",
    /// `Welcome`
    SystemWelcome = "system_welcome",
    /// `Language`
    SystemLanguage = "system_language",
    /// `Refresh`
    SystemRefresh = "system_refresh",
    /// `Login`
    LoginBtn = "login_btn",
    /// `Remember Me`
    LoginRememberMe = "login_remember_me",
    /// `Logout`
    LogoutBtn = "logout_btn",
    /// `Change password`
    ChangePwd = "change_pwd",
    /// `new password`
    ChangePwdFieldNewpwd = "change_pwd_field_newpwd",
    /// `Run report`
    JobDashboardName = "job_dashboard_name",
    /// `Job number`
    JobDashboardJobNum = "job_dashboard_job_num",
    /// `trigger number`
    JobDashboardTriggerNum = "job_dashboard_trigger_num",
    /// `Executor number`
    JobDashboardJobgroupNum = "job_dashboard_jobgroup_num",
    /// `Scheduling report`
    JobDashboardReport = "job_dashboard_report",
    /// `Percentage distribution`
    JobDashboardReportDist = "job_dashboard_rate_report",
    /// `Date distribution`
    JobDashboardDateReport = "job_dashboard_date_report",
    /// `Job Manage`
    JobinfoName = "jobinfo_name",
    /// `Add Job`
    JobinfoFieldAdd = "jobinfo_field_add",
    /// `Edit Job`
    JobinfoFieldUpdate = "jobinfo_field_update",
    /// `Alarm email`
    JobinfoFieldAlarmEmail = "jobinfo_field_alarmemail",
    /// `Run Once`
    JobinfoOptRun = "jobinfo_opt_run",
    /// `RUNNING`
    JobinfoStatusRunning = "jobinfo_status_running",
    /// `STOP`
    JobinfoStatusStop = "jobinfo_status_stop",
    /// `Version Backtrack`
    JobinfoGlueRollback = "jobinfo_glue_rollback",
    /// `GLUE代码初始化`
    JobinfoGlueInit = "jobinfo_glue_init",
    /// `None`
    ScheduleTypeNone = "schedule_type_none",
    /// `Fix rate`
    ScheduleTypeFixRate = "schedule_type_fix_rate",
    /// `Fix delay`
    ScheduleTypeFixDelay = "schedule_type_fix_delay",
    /// `Do nothing`
    MisfireStrategyDoNothing = "misfire_strategy_do_nothing",
    /// `Fire once now`
    MisfireStrategyFireOnceNow = "misfire_strategy_fire_once_now",
    /// `Trigger Log`
    JoblogName = "joblog_name",
    /// `Success`
    JoblogStatusSuccess = "joblog_status_suc",
    /// `Fail`
    JoblogStatusFail = "joblog_status_fail",
    /// `Running`
    JoblogStatusRunning = "joblog_status_running",
    /// `Trigger Time`
    JoblogFieldTriggerTime = "joblog_field_triggerTime",
    /// `Trigger Result`
    JoblogFieldTriggerCode = "joblog_field_triggerCode",
    /// `Handle Time`
    JoblogFieldHandleTime = "joblog_field_handleTime",
    /// `Handle Result`
    JoblogFieldHandleCode = "joblog_field_handleCode",
    /// `Handle Msg`
    JoblogFieldHandleMsg = "joblog_field_handleMsg",
    /// `Clean`
    JoblogClean = "joblog_clean",
    /// `Clean Log`
    JoblogCleanLog = "joblog_clean_log",
    /// `Clean Type`
    JoblogCleanType = "joblog_clean_type",
    /// `Clean log data a month ago`
    JoblogCleanType1 = "joblog_clean_type_1",
    /// `Clean log data three months ago`
    JoblogCleanType2 = "joblog_clean_type_2",
    /// `Clean log data six months ago`
    JoblogCleanType3 = "joblog_clean_type_3",
    /// `Clean log data a year ago`
    JoblogCleanType4 = "joblog_clean_type_4",
    /// `Clean log data but the newest 1,000`
    JoblogCleanType5 = "joblog_clean_type_5",
    /// `Clean log data but the newest 10,000`
    JoblogCleanType6 = "joblog_clean_type_6",
    /// `Clean log data but the newest 30,000`
    JoblogCleanType7 = "joblog_clean_type_7",
    /// `Clean log data but the newest 100,000`
    JoblogCleanType8 = "joblog_clean_type_8",
    /// `Clean all log data`
    JoblogCleanType9 = "joblog_clean_type_9",
    /// `Rolling log`
    JoblogRollingLog = "joblog_rolling_log",
    /// `The job trigger fail, can not view the rolling log`
    JoblogRollingLogFail = "joblog_rolling_log_triggerfail",
    /// `Executor Manage`
    JobgroupName = "jobgroup_name",
    /// `Add Executor`
    JobgroupAdd = "jobgroup_add",
    /// `Edit Executor`
    JobgroupEdit = "jobgroup_edit",
    /// `Registry Type`
    JobgroupFieldAddressType = "jobgroup_field_addressType",
    /// `OnLine machine address`
    JobgroupFieldRegistryListOnline = "jobgroup_field_registryList_online",
    /// `User Manage`
    UserManage = "user_manage",
    /// `Add User`
    UserAdd = "user_add",
    /// `Edit User`
    UserUpdate = "user_update",
    /// `Role`
    UserRole = "user_role",
    /// `Admin`
    UserRoleAdmin = "user_role_admin",
    /// `Normal User`
    UserRoleNormal = "user_role_normal",
    /// `Permission`
    UserPermission = "user_permission",
    /// `Tutorial`
    JobHelp = "job_help",
    /// `Documents of the project`
    OwnHelpDocuments = "own_help_documents",

    // Sentences of our own.
    /// `{0}/{1} [Job ID={2}], Not triggered: the chain of child jobs reached its limit of {3} <br>`
    OwnChildTooDeep = "own_child_too_deep",
    /// `Waited more than {0} s for a free slot of the executor address; the executor was not called`
    OwnWaitTooLong = "own_wait_too_long",
    /// `The admin was stopped before the executor was called`
    OwnStopped = "own_stopped",
    /// `The trigger queue is full ({0}), please try again later`
    OwnQueueFull = "own_queue_full",
    /// `The node that claimed this fire is gone; left out by the misfire strategy`
    OwnFireLeft = "own_fire_left",
    /// `The node that took this fire is gone; whether the executor was called is unknown, it is not fired again`
    OwnOutcomeUnknown = "own_outcome_unknown",
    /// `The executor group does not exist; nothing was called`
    OwnGroupMissing = "own_group_missing",
    /// `Unknown route strategy: {0}`
    OwnRouteUnknown = "own_route_unknown",
    /// `The seed password is accepted from this machine only: change it there with "xxl-job-admin password admin", or set …`
    OwnSeedPassword = "own_seed_password",
    /// `The run has no executor address: nobody can be asked`
    OwnNoAddress = "own_no_address",
    /// `The call comes from a page of another site ({0}). If that front end is meant to, name its origin in the setting …`
    OwnForeignSite = "own_foreign_site",
    /// `Scripts are switched off here (security.glue=off); nothing was called`
    OwnScriptsOff = "own_scripts_off",
}
