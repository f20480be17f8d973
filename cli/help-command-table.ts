import type { Command } from 'commander';
import type { Side } from './commands/help-people.ts';
import { ORG_FLAG } from './org-command-table.ts';
import type { Perform } from './perform.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const loadHelp = () => import('./commands/help-people.ts');

const PERSON = 'e-mail address or user id';
const WHO: Readonly<Record<Side, string>> = {
  members: 'a member who is in no other org',
  users: 'a person',
};

/** Declares what helps a person, below `fairlead members` and `fairlead users`. */
export function addHelpCommands(parent: Command, side: Side, perform: Perform): void {
  const declare = (verb: string, what: string): Command => {
    const command = parent.command(verb).description(what).argument('<person>', PERSON);
    return side === 'members' ? command.option(...ORG_FLAG) : command;
  };
  declare('sessions', `list where ${WHO[side]} is signed in`).action((person, _options, self) =>
    perform(self, async (context) => (await loadHelp()).listSessions(context, side, person, self.opts())),
  );
  declare('end-sessions', `sign ${WHO[side]} out, everywhere or of one session`)
    .argument('[session]', 'id of a session (default: all sessions and applications)')
    .action((person, session, _options, self) =>
      perform(self, async (context) => (await loadHelp()).endSessions(context, side, { person, session }, self.opts())),
    );
  declare('reset-second-factor', `remove second factor and password of ${WHO[side]}, who gets a link by mail`)
    .option('--yes', 'reset without confirmation')
    .action((person, _options, self) =>
      perform(self, async (context) => (await loadHelp()).resetSecondFactor(context, side, person, self.opts())),
    );
}
