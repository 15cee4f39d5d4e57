/// What each metric is, for the people who read it. A metric without a line here is not shown: it is a library's own.
enum MetricDescriptions {
    static let all: [String: String] = [
        "countersign_answers_refused_total":
            "Passwords, codes and other answers that were refused, by reason.",
        "countersign_audit_log_holds":
            "0 where a range of the sealed log does not hold, as far as maintenance has checked it; else 1.",
        "countersign_build_info":
            "Which Countersign this is; the value is 1.",
        "countersign_clients_refused_total":
            "Secrets and assertions of applications that were wrong.",
        "countersign_email_delivered_total":
            "Messages (mails) that this server delivered.",
        "countersign_email_failed_total":
            "Messages (mails) that this server gave up.",
        "countersign_email_postponed_total":
            "Failed attempts to deliver messages (mails) that are repeated.",
        "countersign_email_waiting":
            "Messages (mails) that wait to be delivered, of all servers.",
        "countersign_factors_enrolled_total":
            "Second factors and passkeys that users enrolled.",
        "countersign_hook_delivered_total":
            "Events that this server delivered to hooks.",
        "countersign_hook_failed_total":
            "Events that this server gave up, because a hook refused them.",
        "countersign_hook_lag_seconds":
            "Seconds of the log that the slowest enabled hook is behind; half a minute is none.",
        "countersign_hook_postponed_total":
            "Failed attempts to deliver events to hooks that are repeated.",
        "countersign_hooks":
            "Hooks by state: enabled, failing (of the enabled ones), disabled by the server.",
        "countersign_http_connections":
            "Open connections.",
        "countersign_http_connections_expired_total":
            "Connections that were closed because a client took too long.",
        "countersign_http_connections_refused_total":
            "Connections that were refused because there were too many.",
        "countersign_lockouts_total":
            "Answers that were refused because too many before them were wrong.",
        "countersign_logout_delivered_total":
            "Messages (logout tokens for applications) that this server delivered.",
        "countersign_logout_failed_total":
            "Messages (logout tokens for applications) that this server gave up.",
        "countersign_logout_postponed_total":
            "Failed attempts to deliver messages (logout tokens for applications) that are repeated.",
        "countersign_logout_waiting":
            "Messages (logout tokens for applications) that wait to be delivered, of all servers.",
        "countersign_otp_delivered_total":
            "Messages (codes for services that send them) that this server delivered.",
        "countersign_otp_failed_total":
            "Messages (codes for services that send them) that this server gave up.",
        "countersign_otp_postponed_total":
            "Failed attempts to deliver messages (codes for services that send them) that are repeated.",
        "countersign_otp_waiting":
            "Messages (codes for services that send them) that wait to be delivered, of all servers.",
        "countersign_password_hashes_waiting":
            "Passwords that wait to be hashed or are being hashed.",
        "countersign_push_delivered_total":
            "Messages (pushes) that this server delivered.",
        "countersign_push_failed_total":
            "Messages (pushes) that this server gave up.",
        "countersign_push_postponed_total":
            "Failed attempts to deliver messages (pushes) that are repeated.",
        "countersign_push_waiting":
            "Messages (pushes) that wait to be delivered, of all servers.",
        "countersign_refresh_tokens_reused_total":
            "Refresh tokens that came a second time, which ends their grants.",
        "countersign_second_factors_total":
            "Sign-ins with a second factor, by its kind.",
        "countersign_sign_ins_total":
            "Sign-ins that were completed at this server, by protocol.",
        "countersign_sign_ups_total":
            "Accounts that users made for themselves at this server, by protocol.",
        "countersign_spans_dropped_total":
            "Spans that were lost, by reason: the queue was full, or the collector did not take them.",
        "countersign_spans_exported_total":
            "Spans that the collector took.",
        "countersign_spans_waiting":
            "Spans that wait to be exported.",
        "countersign_store_answers":
            "Whether the database answers: 1, or 0.",
        "countersign_store_clock_skew_seconds":
            "Seconds that this server's clock is ahead of the database's.",
        "countersign_store_commits_total":
            "Commits of the SQLite database; one holds several writes.",
        "countersign_store_connections_made_total":
            "Connections that were made to PostgreSQL.",
        "countersign_store_lost_races_total":
            "Transactions that PostgreSQL undid in favour of others, and that ran again.",
        "countersign_store_takes_writes":
            "Whether the database takes writes: 1, or 0.",
        "countersign_store_transactions_total":
            "Transactions of the PostgreSQL database.",
        "countersign_store_unanswered_total":
            "Statements that PostgreSQL did not answer in time.",
        "countersign_store_waiting":
            "Write transactions that wait for the database.",
        "countersign_store_writes_total":
            "Write transactions of the SQLite database.",
        "countersign_tls_certificate_expires_at_seconds":
            "When the served certificate ends, in seconds since 1970.",
        "countersign_tls_certificate_refusals_total":
            "Certificates that were not taken because something is wrong with them.",
        "countersign_tls_certificate_replacements_total":
            "Certificates that took the place of another while the server ran.",
        "countersign_users_created_total":
            "Users whom administrators added.",
        "countersign_users_deleted_total":
            "Users who were removed.",
        "http_server_active_requests":
            "Requests that are being answered, by method.",
        "http_server_request_duration_seconds":
            "Seconds from a request to its answer, by route, method and status.",
        "http_server_request_errors_total":
            "Requests that failed without an answer of their endpoint, by route and status.",
        "http_server_requests_total":
            "Requests that were answered, by route, method and status.",
        "process_cpu_seconds_total":
            "Processor time in user and kernel mode, in seconds.",
        "process_max_fds":
            "File descriptors that the process may open.",
        "process_open_fds":
            "Open file descriptors.",
        "process_resident_memory_bytes":
            "Memory that the process holds, in bytes.",
        "process_start_time_seconds":
            "When the process started, in seconds since 1970.",
        "process_threads":
            "Threads of the process.",
        "process_virtual_memory_bytes":
            "Virtual memory of the process, in bytes.",
    ]
}
