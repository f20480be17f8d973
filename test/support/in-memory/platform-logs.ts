import type { PlatformLogReader } from '../../../domain/logs/platform-log.ts';

/** As where somebody else keeps the logs of the platform's programs: there are none. */
export function createInMemoryPlatformLogs(): PlatformLogReader {
  return {
    inventory: async () => ({ files: [], rotated: [], rotation: null }),
    has: async () => false,
    last: async () => ({ lines: [], next: { file: 0, offset: 0 }, truncated: false }),
    after: async (_target, place) => ({ lines: [], next: place, lost: false }),
  };
}
