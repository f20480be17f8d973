import { proxySinks, type Sinks, type WorkflowInterceptors } from '@temporalio/workflow';

/** Tells, out of the workflow's sandbox, which options workflow code gives its timers and activities while it replays. */
export interface CommandOptionsSinks extends Sinks {
  readonly commandOptions: {
    timer(seq: number, durationMs: number): void;
    activity(seq: number, options: ActivityCommand): void;
  };
}

/** Durations as the code writes them: milliseconds, or text such as `10s`. */
export interface ActivityCommand {
  readonly type: string;
  readonly startToClose: string | number | undefined;
  readonly scheduleToClose: string | number | undefined;
  readonly heartbeat: string | number | undefined;
  readonly retryInitial: string | number | undefined;
  readonly retryMaximum: string | number | undefined;
  readonly retryCoefficient: number | undefined;
  readonly retryAttempts: number | undefined;
}

const { commandOptions } = proxySinks<CommandOptionsSinks>();

export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      startTimer(input, next) {
        commandOptions.timer(input.seq, input.durationMs);
        return next(input);
      },
      scheduleActivity(input, next) {
        const { startToCloseTimeout, scheduleToCloseTimeout, heartbeatTimeout, retry } = input.options;
        commandOptions.activity(input.seq, {
          type: input.activityType,
          startToClose: startToCloseTimeout,
          scheduleToClose: scheduleToCloseTimeout,
          heartbeat: heartbeatTimeout,
          retryInitial: retry?.initialInterval,
          retryMaximum: retry?.maximumInterval,
          retryCoefficient: retry?.backoffCoefficient,
          retryAttempts: retry?.maximumAttempts,
        });
        return next(input);
      },
    },
  ],
});
