import type { AppSource } from '../../catalog/app-source.ts';

const COMPOSE = /^(?:docker-)?compose(?:\.[\w-]+)?\.ya?ml$/;

/** What a source says that a deploy of one service leaves out, and where it belongs. */
export function sourceHints({ files, texts }: AppSource): readonly string[] {
  const compose = files.find((file) => COMPOSE.test(file));
  const release = /^release:\s*(\S.*)$/m.exec(texts.Procfile ?? '')?.[1];
  return [
    ...(compose === undefined
      ? []
      : [`${compose} is not used: deploy each of its services by itself, and declare databases in spec.databases`]),
    ...(release === undefined
      ? []
      : [`release in Procfile is not run: put it before the start command, as in "${release.trim()} && …"`]),
  ];
}
