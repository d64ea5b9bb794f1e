// Writes acdl.vsix, or the file that is named: the same bytes from the same sources.
import { createVSIX } from "@vscode/vsce";

process.env.SOURCE_DATE_EPOCH ??= "315532800"; // the first moment that an archive can say
const packagePath = process.argv[2] ?? "acdl.vsix";
await createVSIX({ packagePath, dependencies: false, allowMissingRepository: true });
