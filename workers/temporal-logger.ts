import type { Logger as SdkLogger } from '@temporalio/worker';
import type { Logger } from 'pino';

type Level = 'debug' | 'info' | 'warn' | 'error';

/** The SDK warns of every queue that has activities alone, as ours for modules have. */
const EXPECTED: ReadonlySet<string> = new Set(['No workflows registered, not polling for workflow tasks']);

/** The SDK's own lines, in the same log. */
export function temporalLogger(logger: Logger): SdkLogger {
  const at = (level: Level) => (message: string, meta?: object) => {
    logger[EXPECTED.has(message) ? 'debug' : level](meta ?? {}, message);
  };
  return {
    trace: at('debug'),
    debug: at('debug'),
    info: at('debug'),
    warn: at('warn'),
    error: at('error'),
    log: (_level, message, meta) => logger.info(meta ?? {}, message),
  };
}
