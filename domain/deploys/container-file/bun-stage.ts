import type { AppDescription } from '../app/app-description.ts';
import { BUN_FOLDER, BUN_STAGE } from './copy-bun.ts';

/**
 * The stage in which Bun is installed; nothing for an app without it. Bun's own package brings a program for each processor
 * and C library, 400 MB together, and then takes one of them: so the one package with the program that runs on any processor
 * of its kind is installed, once for the whole build.
 */
export function bunStage({ bun, install, manager, nodeImage }: AppDescription): readonly string[] {
  const version = bun ?? (install !== null && manager.name === 'bun' ? manager.version : null);
  if (version === null) return [];
  return [
    `FROM ${nodeImage.value} AS ${BUN_STAGE}`,
    'RUN case "$(uname -m)" in aarch64|arm64) kind=aarch64 ;; *) kind=x64-baseline ;; esac \\',
    `  && npm install --global --no-audit --no-fund "@oven/bun-linux-$kind@${version}" \\`,
    `  && mkdir ${BUN_FOLDER} && mv "$(npm root --global)/@oven/bun-linux-$kind/bin/bun" ${BUN_FOLDER}/bun \\`,
    `  && ln -s bun ${BUN_FOLDER}/bunx && ${BUN_FOLDER}/bun --version`,
    '',
  ];
}
