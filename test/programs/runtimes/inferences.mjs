// `node inferences.mjs all.mts inferred.mts`: of a file that imports all paths of the package, makes
// one in which every type that the package's types name is inferred: each export, each parameter of a
// function, each property of a type. A user's `declaration` build writes these types down, so the
// package has to export all that they name (TS2742). It is JavaScript, since its compiler is in this
// folder alone.
import { writeFileSync } from 'node:fs';
import ts from 'typescript56';

const [, , all, inferred] = process.argv;
const { ClassDeclaration, InterfaceDeclaration, TypeAliasDeclaration } = ts.SyntaxKind;
const program = ts.createProgram([all], {
  strict: true,
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
});
const checker = program.getTypeChecker();
const imports = [];
const lines = [];
const add = (text) => lines.push(`export const v${lines.length} = ${text};`);

const exportsOf = (symbol) => checker.getExportsOfModule(symbol);
const original = (symbol) =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

for (const [i, path] of exportsOf(checker.getSymbolAtLocation(program.getSourceFile(all))).entries()) {
  imports.push(`import * as m${i} from ${path.declarations[0].parent.moduleSpecifier.getText()};`);
  for (const exported of exportsOf(original(path))) {
    const symbol = original(exported);
    const name = `m${i}.${exported.name}`;
    const isType = exported.declarations.some(
      ({ isTypeOnly, parent }) => isTypeOnly || parent.parent?.isTypeOnly,
    );
    if (symbol.flags & ts.SymbolFlags.Value && !isType) add(name);
    if (symbol.flags & ts.SymbolFlags.Function) add(`(...given: Parameters<typeof ${name}>) => given`);
    if (symbol.flags & ts.SymbolFlags.Type) {
      for (const property of propertiesOf(symbol)) {
        add(`(of: ${name}${argumentsFor(symbol)}) => of[${JSON.stringify(property)}]`);
      }
    }
  }
}
writeFileSync(inferred, [...imports, ...lines, ''].join('\n'));

/** Those of users: what begins with $ is the engine's own. */
function propertiesOf(symbol) {
  const { Private, Protected } = ts.ModifierFlags;
  const isHidden = (each) => ts.getCombinedModifierFlags(each) & (Private | Protected);
  return checker
    .getDeclaredTypeOfSymbol(symbol)
    .getProperties()
    .filter(({ name, declarations = [] }) => !/^(__|[#$])/.test(name) && !declarations.some(isHidden))
    .map(({ name }) => name);
}

/** For its type parameters. */
function argumentsFor(symbol) {
  const isGeneric = ({ kind, typeParameters }) =>
    [ClassDeclaration, InterfaceDeclaration, TypeAliasDeclaration].includes(kind) && typeParameters;
  const { typeParameters = [] } = symbol.declarations.find(isGeneric) ?? {};
  return typeParameters.length === 0 ? '' : `<${typeParameters.map(() => 'never').join(', ')}>`;
}
