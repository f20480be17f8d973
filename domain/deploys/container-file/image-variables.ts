/** What builders set themselves, or are given by the platform, whatever a container file gives as a default. */
const OF_THE_BUILDER = /^(?:(?:BUILD|TARGET)(?:PLATFORM|OS|ARCH|VARIANT)|TARGETSTAGE|(?:https?|ftp|no|all)_proxy)$/i;

/** `NAME`, or `NAME=value` with the value bare or in one pair of quotes. Group 2 is what stands after the name. */
const WORD = /([A-Za-z_]\w*)(=(?:"[^"`\\]*"|'[^'`\\$]*'|[^\s"'`\\]*))?(?:[ \t]+|$)/y;

/** `$NAME`, `${NAME}`, `${NAME-default}` and `${NAME:-default}`, as builders read them: no name begins with a digit. */
const VARIABLE = /\$(?:\{([A-Za-z_]\w*)(?:(:?-)([^{}$]*))?\}|([A-Za-z_]\w*))/g;

/** The ARGs before the first FROM, by which a container file may name images. */
export class ImageVariables {
  readonly #values = new Map<string, string>();

  /** Notes the arguments of an ARG. @returns what is wrong with them; null when nothing is */
  note(content: string): string | null {
    const text = content.trim();
    WORD.lastIndex = 0;
    while (WORD.lastIndex < text.length) {
      const [, name, written] = WORD.exec(text) ?? [];
      if (name === undefined) {
        return `ARG ${text.slice(0, 100)} is read differently by builders; write NAME=value, or NAME="a value", without a backslash`;
      }
      // Without a default, what an ARG of that name had before is forgotten.
      if (written === undefined) this.#values.delete(name);
      else this.#values.set(name, this.expand(written.slice(1).replace(/^(["'])(.*)\1$/, '$2')));
    }
    return null;
  }

  /** Nested variables, and those whose value is not known here, stay as they are. */
  expand(text: string): string {
    return text.replace(VARIABLE, (whole, braced?: string, operator?: string, fallback?: string, bare?: string) => {
      const name = braced ?? bare ?? '';
      if (OF_THE_BUILDER.test(name)) return whole;
      const value = this.#values.get(name);
      return value === undefined || (value === '' && operator === ':-') ? (fallback ?? value ?? whole) : value;
    });
  }
}
