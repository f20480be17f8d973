import type { GitHookCommands } from '../../../domain/git-hooks/messages.ts';

/** What was asked of the workflows of pushes, in the order in which it was. */
export interface InMemoryGitHookCommands extends GitHookCommands {
  readonly asked: readonly string[];
  /** What every call fails with; null for none. */
  failure: Error | null;
}

export function createInMemoryGitHookCommands(): InMemoryGitHookCommands {
  const asked: string[] = [];
  const note = async (what: string): Promise<void> => {
    if (commands.failure !== null) throw commands.failure;
    asked.push(what);
  };
  const commands: InMemoryGitHookCommands = {
    asked,
    failure: null,
    look: ({ connectionId, ref }, deliveryId) => note(`look ${connectionId} ${ref} ${deliveryId}`),
    lookAtAll: (connectionId, deliveryId) => note(`look ${connectionId} all ${deliveryId}`),
    changed: (connectionId) => note(`changed ${connectionId}`),
  };
  return commands;
}
