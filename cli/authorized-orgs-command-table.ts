import { type Command, Option } from 'commander';
import { REPO_ROLES } from '../domain/repo-role.ts';
import { wholeNumber } from './option-values.ts';
import type { Perform } from './perform.ts';
import { MOST } from './read-pages.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const loadAuthorizedOrgs = () => import('./commands/authorized-orgs.ts');

/** Declares `fairlead services authorized-orgs`, `authorize-org` and `deauthorize-org`. */
export function addAuthorizedOrgsCommands(services: Command, perform: Perform): void {
  services
    .command('authorized-orgs')
    .description('show the org that owns a service and those that share it, or how that came about')
    .argument('<service>')
    .option('--history', 'who let which org in, and who took it out')
    .option('-n, --limit <count>', 'how many changes', wholeNumber(1, MOST), 50)
    .action((service, _options, self) =>
      perform(self, async (context) => {
        const { showAuthorizedOrgs, showSharingHistory } = await loadAuthorizedOrgs();
        const options: { history?: boolean; limit: number } = self.opts();
        if (options.history === true) return showSharingHistory(context, service, options);
        return showAuthorizedOrgs(context, service);
      }),
    );
  services
    .command('authorize-org')
    .description('let another org use a service as its owner does; its members deploy it and read its secrets')
    .argument('<service>')
    .argument('<org>', 'slug of the org')
    .addOption(
      new Option('--repo-role <role>', 'role on the repository at the git host (default: write for a new org)').choices(
        [...REPO_ROLES],
      ),
    )
    .action((service, org, _options, self) =>
      perform(self, async (context) =>
        (await loadAuthorizedOrgs()).authorizeOrg(context, { service, org }, self.opts()),
      ),
    );
  services
    .command('deauthorize-org')
    .description('take an org out that shares a service')
    .argument('<service>')
    .argument('<org>', 'slug of the org')
    .option('--yes', 'take it out without confirmation')
    .action((service, org, _options, self) =>
      perform(self, async (context) =>
        (await loadAuthorizedOrgs()).deauthorizeOrg(context, { service, org }, self.opts()),
      ),
    );
}
