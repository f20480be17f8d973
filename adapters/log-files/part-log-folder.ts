import { join } from 'node:path';
import { PART_NAME, type PlatformLogTarget } from '../../domain/logs/platform-log.ts';
import type { LogFolder } from './log-folder.ts';

/** `<root>/<part>/<out or error>`; null for a name that no part has, and that could name another folder. */
export function partLogFolder(root: string, { part, stream }: PlatformLogTarget): LogFolder | null {
  return PART_NAME.test(part) ? { path: join(root, part, stream), extension: 'log' } : null;
}

/** In which the writer of the logs says how it rotates them. */
export function rotationPath(root: string): string {
  return join(root, 'rotation.json');
}
