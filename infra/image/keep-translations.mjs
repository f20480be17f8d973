// Writes the JavaScript of every file of the platform to the folder of KEPT_TRANSLATIONS, so that no container translates at its start.
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { translateFile } from '../dev/kept-translations.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const files = globSync('{activities,adapters,api,cli,domain,infra,sdk,web,workers,workflows}/**/*.ts', { cwd: root });
for (const file of files) translateFile(join(root, file));
console.log(`${files.length} files translated`);
