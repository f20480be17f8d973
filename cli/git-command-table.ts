import type { Command } from 'commander';
import { addGitIdentityCommands } from './git-identity-command-table.ts';
import type { Perform } from './perform.ts';

/** Declares `fairlead git …`. */
export function addGitCommands(program: Command, perform: Perform): void {
  const git = program.command('git').description('repositories whose pushes deploy, and your accounts at git hosts');
  addGitIdentityCommands(git, perform);
}
