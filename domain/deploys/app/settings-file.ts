import type { AppSource } from '../../catalog/app-source.ts';
import { SETTINGS_FILE } from '../../catalog/variables-file.ts';

/** Whether the `.env` that a repository holds is part of the image. */
export interface SettingsFile {
  readonly isKept: boolean;
  readonly warnings: readonly string[];
}

/**
 * A `.env` that the source holds is one that its author tracks, because git would else not have it: its settings are
 * defaults, which the service's own variables override, and many apps and builds do not work without them. One that holds
 * what looks like a secret stays out, because whoever may read the image could read it there.
 */
export function settingsFile({ files, variables }: AppSource): SettingsFile {
  const file = variables?.[SETTINGS_FILE];
  if (file === undefined) return { isKept: false, warnings: [] };
  const [secret] = file.secrets;
  if (secret !== undefined) {
    const rest = file.names.filter((name) => !file.secrets.includes(name));
    const others = rest.length === 0 ? '' : `, and the others with --set: ${rest.slice(0, 12).join(', ')}`;
    const warning = `${SETTINGS_FILE} is not part of the image, because ${file.secrets.join(', ')} in it ${file.secrets.length === 1 ? 'looks' : 'look'} like ${file.secrets.length === 1 ? 'a secret' : 'secrets'}: set such variables with --secret${others}`;
    return { isKept: false, warnings: [warning] };
  }
  // A .dockerignore of its own decides.
  if (files.includes('.dockerignore')) return { isKept: false, warnings: [] };
  const warning = `${SETTINGS_FILE} of the repository is part of the image; variables of the service override those in it`;
  return { isKept: true, warnings: [warning] };
}
