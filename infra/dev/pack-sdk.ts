import { packSdk } from './sdk-package.ts';
import { errorLine } from './terminal.ts';

/** `npm run pack-sdk [folder]`: packs the SDK into a file there, by default into this folder. */
try {
  console.log(await packSdk(process.argv[2] ?? '.'));
} catch (error) {
  console.error(`fairlead: ${errorLine(error)}`);
  process.exitCode = 1;
}
