import { type AppSource, LOCKFILES } from '../../catalog/app-source.ts';

/** The versions of a package in the lockfiles of npm (now and before 7), yarn, pnpm and bun; not where it is only wished for. */
export function lockedVersions(name: string, texts: AppSource['texts']): readonly string[] {
  const escaped = name.replaceAll(/[/.]/g, '\\$&');
  const forms = [
    `node_modules\\/${escaped}": \\{\\s+"version": "(\\d[\\w.+-]*)"`,
    `^ +"${escaped}": \\{\\s+"version": "(\\d[\\w.+-]*)"`,
    `^"?${escaped}@[^\\n]*:\\n  version:? "?(\\d[\\w.+-]*)`,
    `^ {2}'?\\/?${escaped}[@/](\\d[\\w.+-]*)`,
    `^ +"${escaped}": \\["${escaped}@(\\d[\\w.+-]*)"`,
  ];
  const entry = new RegExp(forms.join('|'), 'gm');
  const found = LOCKFILES.flatMap((file) =>
    [...(texts[file] ?? '').matchAll(entry)].flatMap(([, ...versions]) => versions.filter((one) => one !== undefined)),
  );
  return [...new Set(found)];
}
