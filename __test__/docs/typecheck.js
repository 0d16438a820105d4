import path from 'node:path';
import ts from 'typescript';

// JavaScript cannot say the type of a parameter; what it passes on is checked all the same.
const UNSAID_IN_JAVASCRIPT = [7005, 7006, 7016, 7019, 7031, 7034, 18046];

/** The environment variables the pages rely on, declared as a project of a user's would. */
const AMBIENT = `declare namespace NodeJS {
  interface ProcessEnv { DATABASE_URL: string }
}
`;

/**
 * Checks programs against index.d.ts under strict.
 * @param {string} home the project's folder
 * @param {string[]} files
 * @returns {(file: string) => string[]} the complaints about a file
 */
export function typecheck(home, files) {
  const ambient = path.join(home, 'ambient.d.ts');
  ts.sys.writeFile(ambient, AMBIENT);
  const program = ts.createProgram([ambient, ...files], {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    moduleDetection: ts.ModuleDetectionKind.Force,
    lib: ['lib.es2024.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node'],
    strict: true,
    noEmit: true,
    allowJs: true,
    checkJs: true,
    skipLibCheck: true,
  });
  return (file) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
      .filter(({ code }) => file.endsWith('ts') || !UNSAID_IN_JAVASCRIPT.includes(code))
      .map(({ messageText, start = 0 }) => {
        const { line } = ts.getLineAndCharacterOfPosition(source, start);
        return `${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
      });
  };
}
