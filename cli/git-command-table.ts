import type { Command } from 'commander';
import { addGitConnectionCommands } from './git-connection-command-table.ts';
import { addGitIdentityCommands } from './git-identity-command-table.ts';
import type { Perform } from './perform.ts';

/** Declares `fairlead git …`. */
export function addGitCommands(program: Command, perform: Perform): void {
  const git = program.command('git').description('repositories whose pushes deploy, and your accounts at git hosts');
  addGitConnectionCommands(git, perform);
  addGitIdentityCommands(git, perform);
}
