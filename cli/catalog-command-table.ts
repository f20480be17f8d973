import type { Command } from 'commander';
import type { PerformAlone } from './perform.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const loadCatalog = () => import('./commands/catalog.ts');

/** Declares `fairlead init` and `fairlead validate`, which need no platform. */
export function addCatalogCommands(program: Command, performAlone: PerformAlone): void {
  program
    .command('init')
    .description('write a catalog-info.yaml after a look at the source')
    .argument('[folder]', 'folder of the service', '.')
    .option('--name <service>', 'service name (default: from the repository or the folder)')
    .action((folder, _options, self) =>
      performAlone(self, async (alone) => {
        const schemaUrl = `${alone.apiUrl()}/schemas/catalog.json`;
        return (await loadCatalog()).init(alone, folder, { ...self.opts(), schemaUrl });
      }),
    );
  program
    .command('validate')
    .description('check catalog-info.yaml and .platform.yaml as a deploy would; problems with line and column')
    .argument('[folder]', 'folder of the service', '.')
    .action((folder, _options, self) =>
      performAlone(self, async (alone) => (await loadCatalog()).validate(alone, folder)),
    );
}
