/** The programs beside this file use everything that index.d.ts declares: no export and no overload is left untried. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import * as cairnq from '../../index.js';
import { root } from '../../scripts/bootstrap.js';

const declarations = path.join(root, 'index.d.ts');
const corpus = readdirSync(import.meta.dirname, { recursive: true })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => path.join(import.meta.dirname, name));

describe('the corpus of programs', () => {
  let checker;
  let declared;
  let called;
  let named;

  beforeAll(() => {
    const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
    const program = ts.createProgram([declarations, ...corpus], options);
    checker = program.getTypeChecker();
    declared = program.getSourceFile(declarations);
    called = new Set();
    named = new Set();
    for (const file of corpus) visit(program.getSourceFile(file));
  }, 60_000);

  it('names every export', () => {
    const exports = checker.getExportsOfModule(checker.getSymbolAtLocation(declared));
    const unused = exports.filter((symbol) => !named.has(symbol)).map((symbol) => symbol.name);
    expect(unused).toEqual([]);
  });

  it('finds the values declared that a program finds, and no others', () => {
    const exports = checker.getExportsOfModule(checker.getSymbolAtLocation(declared));
    const values = exports.filter(({ flags }) => flags & ts.SymbolFlags.Value);
    expect(values.map((symbol) => symbol.name).sort()).toEqual(Object.keys(cairnq).sort());
  });

  it('calls every overload of every function, method and constructor', () => {
    const signatures = [];
    const collect = (node) => {
      if (isCallable(node)) signatures.push(node);
      ts.forEachChild(node, collect);
    };
    collect(declared);
    expect(signatures.length).toBeGreaterThan(80);
    const untried = signatures.filter((signature) => !called.has(signature));
    expect(untried.map(describeSignature)).toEqual([]);
  });

  function visit(node) {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      called.add(checker.getResolvedSignature(node)?.declaration);
    }
    if (ts.isIdentifier(node)) {
      const symbol = checker.getSymbolAtLocation(node);
      const isAlias = symbol && symbol.flags & ts.SymbolFlags.Alias;
      named.add(isAlias ? checker.getAliasedSymbol(symbol) : symbol);
    }
    ts.forEachChild(node, visit);
  }
});

/** Not the members whose name is computed: `await using` calls those. */
function isCallable(node) {
  if (ts.isFunctionDeclaration(node) || ts.isConstructorDeclaration(node)) {
    return !node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ProtectedKeyword);
  }
  return ts.isMethodDeclaration(node) && ts.isIdentifier(node.name);
}

function describeSignature(node) {
  const owner = node.parent.name?.text ?? '';
  return `${owner}: ${node.getText().replaceAll(/\s+/g, ' ')}`;
}
