// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of container files are written so.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkSources } from '../../../../domain/deploys/container-file/check-sources.ts';
import { ambiguityOf } from '../../../../domain/deploys/container-file/readings.ts';
import { HIDDEN_INSTRUCTIONS } from '../../../hostile/container-files.ts';

const POLICY = {
  registry: 'localhost:5050',
  repository: 'localhost:5050/shop-3k',
  cacheScope: 's',
  fileName: 'Dockerfile',
};

const fill = (text: string) =>
  text
    .replaceAll('{victim}', 'localhost:5050/victim:1')
    .replaceAll('{registry}', 'localhost:5050')
    .replaceAll('{victimName}', 'victim:1')
    .replaceAll('{url}', 'http://127.0.0.1:1/');

describe('an instruction that builders read differently is refused', () => {
  for (const { name, text, message } of HIDDEN_INSTRUCTIONS) {
    it(name, () => {
      assert.throws(
        () => checkSources(fill(text), POLICY),
        (error: Error & { code?: string }) => {
          assert.equal(error.code, 'CONTAINER_FILE_INVALID');
          assert.match(error.message.replace(/^Dockerfile:/, ''), message);
          return true;
        },
      );
    });
  }
});

describe('what people write is read in one way', () => {
  const USUAL: Readonly<Record<string, string>> = {
    'continued lines with comments and blank lines between':
      'FROM a\nRUN apk add \\\n# tools\n  git \\\n\n  curl\nUSER 1\n',
    'an indented comment before more of a command': 'FROM a\nRUN apk add git \\\n  # tools\n  && rm -rf /x\nUSER 1\n',
    'a heredoc of commands': 'FROM a\nRUN <<EOF\nset -e\napk add git\nEOF\nUSER 1\n',
    'a heredoc with instructions inside': 'FROM a\nCOPY <<-"EOF" /Dockerfile\n\tFROM b\n\tRUN x\n\tEOF\nUSER 1\n',
    'two heredocs of one instruction': 'FROM a\nCOPY <<A <<B /x/\none\nA\ntwo\nB\nUSER 1\n',
    'a heredoc after quotes and a variable': 'FROM a\nRUN echo "${X}" \\\n  && cat <<EOF > /y\none\nEOF\nUSER 1\n',
    'shifts and here-strings': 'FROM a\nRUN echo $((1 << 3)) && cat <<< word\nUSER 1\n',
    'two backslashes within a command': 'FROM a\nRUN printf "a\\\\b\\\\n" \\\n && true\nUSER 1\n',
    'a comment that names another escape': '# escape=`\nFROM a\nRUN a `\n && b\nUSER 1\n',
    'ends of lines as on Windows': 'FROM a\r\nRUN a \\\r\n  b\r\nUSER 1\r\n',
    'a mark at the beginning and blanks beyond ASCII in texts': '\uFEFFFROM a\nLABEL price="5\u00a0€"\nUSER 1\n',
  };
  for (const [name, text] of Object.entries(USUAL)) it(name, () => assert.equal(ambiguityOf(text), null));
});
