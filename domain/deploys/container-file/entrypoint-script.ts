/** Where the entry point is in the image. */
export const ENTRYPOINT_PATH = '/app-entrypoint.sh';

/** Name of the script's file at the root of the build context. */
export const ENTRYPOINT_FILE = 'app-entrypoint.sh';

/**
 * Reads what the secrets manager rendered (files of `KEY=value` lines that a shell can source) into the environment,
 * then becomes the app (spec 2, "Variables injected into every pod"). Without such files it only becomes the app.
 */
export const ENTRYPOINT_SCRIPT = `#!/bin/sh
set -e
for rendered in "\${SECRETS_DIR:-/run/secrets/rendered}"/*; do
  if [ -f "$rendered" ] && [ -r "$rendered" ]; then
    set -a
    . "$rendered"
    set +a
  fi
done
exec "$@"
`;

/** A RUN instruction that writes a text to a file, without needing anything of the build context. */
export function writeFileInstruction(path: string, text: string): string {
  const lines = text.trimEnd().split('\n');
  return `RUN printf '%s\\n' \\\n${lines.map((line) => `  '${line.replaceAll("'", `'"'"'`)}'`).join(' \\\n')} \\\n  > ${path}`;
}
