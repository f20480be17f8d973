import { msOptionalToNumber } from '@temporalio/common/lib/time.js';
import type { temporal } from '@temporalio/proto';
import type { InjectedSinks } from '@temporalio/worker';
import type { ActivityCommand, CommandOptionsSinks } from './command-options.ts';

type History = temporal.api.history.v1.IHistory;
type Duration = { readonly seconds?: unknown; readonly nanos?: number | null } | null | undefined;

/** Options of the timers and activities of one workflow, a line each, by the number of the command. */
export type CommandLines = ReadonlyMap<string, string>;

/** What a recording says the workflow asked for. */
export function recordedOptions({ events }: History): CommandLines {
  const lines = new Map<string, string>();
  for (const event of events ?? []) {
    const timer = event.timerStartedEventAttributes;
    if (timer) lines.set(`timer ${timer.timerId}`, timerLine(milliseconds(timer.startToFireTimeout) ?? 0));
    const activity = event.activityTaskScheduledEventAttributes;
    if (!activity) continue;
    const { retryPolicy } = activity;
    const line = activityLine({
      type: activity.activityType?.name ?? '',
      startToClose: milliseconds(activity.startToCloseTimeout),
      scheduleToClose: milliseconds(activity.scheduleToCloseTimeout),
      heartbeat: milliseconds(activity.heartbeatTimeout),
      retryInitial: milliseconds(retryPolicy?.initialInterval),
      retryMaximum: milliseconds(retryPolicy?.maximumInterval),
      retryCoefficient: retryPolicy?.backoffCoefficient ?? undefined,
      retryAttempts: retryPolicy?.maximumAttempts ?? undefined,
    });
    lines.set(`activity ${activity.activityId}`, line);
  }
  return lines;
}

/** Collects what the code of today asks for; to be given to a replaying worker together with the interceptors. */
export function collectOptions(): { readonly sinks: InjectedSinks<CommandOptionsSinks>; readonly lines: CommandLines } {
  const lines = new Map<string, string>();
  const sinks: InjectedSinks<CommandOptionsSinks> = {
    commandOptions: {
      timer: { fn: (_, seq, ms) => void lines.set(`timer ${seq}`, timerLine(ms)), callDuringReplay: true },
      activity: {
        fn: (_, seq, options) => void lines.set(`activity ${seq}`, activityLine(inMilliseconds(options))),
        callDuringReplay: true,
      },
    },
  };
  return { sinks, lines };
}

/** Differences as `recorded → today`, one for each command that both have. */
export function differences(recorded: CommandLines, today: CommandLines): readonly string[] {
  return [...recorded].flatMap(([command, line]) => {
    const now = today.get(command);
    return now === line ? [] : [`${command}: ${line} → ${now ?? 'not asked for'}`];
  });
}

/** Timers that end at a time of day are as long as the moment has it: whole seconds are compared of the others. */
function timerLine(ms: number): string {
  return `${ms % 1000 === 0 ? ms / 1000 : 'until a time of day'}`;
}

type InMilliseconds = { readonly [K in keyof ActivityCommand]: K extends 'type' ? string : number | undefined };

function inMilliseconds(options: ActivityCommand): InMilliseconds {
  const { type, retryCoefficient, retryAttempts } = options;
  const ms = (value: string | number | undefined) => msOptionalToNumber(value as number | undefined);
  return {
    ...{ type, retryCoefficient, retryAttempts },
    startToClose: ms(options.startToClose),
    scheduleToClose: ms(options.scheduleToClose),
    heartbeat: ms(options.heartbeat),
    retryInitial: ms(options.retryInitial),
    retryMaximum: ms(options.retryMaximum),
  };
}

function activityLine(options: InMilliseconds): string {
  const { type, startToClose, scheduleToClose, heartbeat } = options;
  const { retryInitial, retryMaximum, retryCoefficient, retryAttempts } = options;
  const retry = `retry ${seconds(retryInitial)} × ${retryCoefficient ?? '-'} to ${seconds(retryMaximum)}, ${retryAttempts || 'any number of'} attempts`;
  return `${type} attempt ${seconds(startToClose)}, all ${seconds(scheduleToClose)}, heartbeat ${seconds(heartbeat)}, ${retry}`;
}

function seconds(ms: number | undefined): string {
  return ms === undefined || ms === 0 ? '-' : `${ms / 1000} s`;
}

/** What the time-skipping server writes where no limit was given. */
const NO_LIMIT_SECONDS = 315_360_000;

function milliseconds(duration: Duration): number | undefined {
  if (duration == null || Number(duration.seconds) === NO_LIMIT_SECONDS) return undefined;
  return Number(duration.seconds ?? 0) * 1000 + (duration.nanos ?? 0) / 1_000_000;
}
