import { formatLockerHandle, type LockerHandle, PERSONAL_OWNER, parseLockerHandle } from '../domain/locker-handle.ts';
import { type ApiClient, pathOf } from './api-client.ts';
import { usageFailure } from './cli-failure.ts';
import type { CliContext } from './context.ts';
import { connectToService } from './service-api.ts';

/** The locker that belongs to a builder API. @throws CliFailure NO_LOCKER, LOCKER_UNSAFE */
export function connectToLocker(context: CliContext): ApiClient {
  return connectToService(context, 'locker', { unknown: 'NO_LOCKER', unsafe: 'LOCKER_UNSAFE' });
}

/** Path of what an org has in the locker, or of what is yours for `me`. */
export function lockerPath(owner: string, ...rest: readonly string[]): string {
  return owner === PERSONAL_OWNER ? pathOf('api', 'me', ...rest) : pathOf('api', 'orgs', owner, ...rest);
}

/** @throws CliFailure with exit `usage`, which does not repeat the text: it may be a credential in the wrong place */
export function readHandle(text: string): LockerHandle {
  const handle = parseLockerHandle(text);
  if (handle !== null) return handle;
  throw usageFailure(
    'That is no locker handle.',
    'It is lk://<org>/<vault>/<item>, or lk://<org>/<vault>/<item>/<field>.',
  );
}

/** An item as it is named for commands about all of it. */
export interface NamedItem {
  readonly handle: string;
  /** Slug of the org whose locker it is in; `me` for your own. */
  readonly owner: string;
  /** Path of the item, or of something below it. */
  path(...rest: readonly string[]): string;
}

/** @throws CliFailure with exit `usage` for another text, and for the handle of one field */
export function readItemHandle(text: string): NamedItem {
  const handle = readHandle(text);
  if (handle.field !== null) {
    const item = formatLockerHandle({ ...handle, field: null });
    throw usageFailure('This is about a whole item.', `Leave the field away: ${item}`);
  }
  const { owner, vault, item } = handle;
  return { handle: text, owner, path: (...rest) => lockerPath(owner, 'vaults', vault, 'items', item, ...rest) };
}
