// Runs the Khronos glTF validator: node gltf_validator.mjs NODE_MODULES FILE...
// Exit status 1 when a file has an error or a warning.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [modules, ...files] = process.argv.slice(2);
const validator = createRequire(join(resolve(modules), "x.js"))("gltf-validator");
const severities = ["error", "warning", "info", "hint"];

let failed = false;
for (const file of files) {
    const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), {
        uri: file,
        maxIssues: 100,
    });
    const { numErrors, numWarnings, numInfos, messages } = report.issues;
    console.log(`${file}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos`);
    for (const { severity, code, pointer, message } of messages) {
        if (severity < 2 || process.env.GLTF_VALIDATOR_VERBOSE) {
            console.log(`  ${severities[severity]} ${code} at ${pointer}: ${message}`);
        }
    }
    failed ||= numErrors > 0 || numWarnings > 0;
}
process.exitCode = failed ? 1 : 0;
