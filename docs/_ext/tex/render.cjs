// Renders TeX to HTML for the book: one JSON request per line in, one JSON answer per line out.
//
//   {kind: "math", tex, display, macros}    an equation, by KaTeX
//   {kind: "pcode", tex, options, macros}   a pseudocode block, by pseudocode.js
//
// The answer is {html} or {error}. The only argument is the node_modules folder.
'use strict';

const path = require('path');
const readline = require('readline');

const modules = path.resolve(process.argv[2]);
const katex = require(path.join(modules, 'katex'));

function renderMath(tex, display, macros) {
  return katex.renderToString(tex, {
    displayMode: display,
    output: 'htmlAndMathml',
    strict: 'ignore', // Chinese characters in mathematics are wanted
    throwOnError: true,
    macros: { ...macros }, // KaTeX adds to it
  });
}

// pseudocode.js takes the global katex as its back end, and hands it no macros.
let pcodeMacros = {};
globalThis.katex = {
  version: katex.version,
  renderToString: (tex) => renderMath(tex, false, pcodeMacros),
};
const pseudocode = require(path.join(modules, 'pseudocode'));

function answer(request) {
  if (request.kind === 'math') {
    return renderMath(request.tex, request.display, request.macros);
  }
  pcodeMacros = request.macros;
  return pseudocode.renderToString(request.tex, request.options);
}

readline.createInterface({ input: process.stdin, crlfDelay: Infinity }).on('line', (line) => {
  let reply;
  try {
    reply = { html: answer(JSON.parse(line)) };
  } catch (error) {
    reply = { error: String(error.message || error) };
  }
  process.stdout.write(JSON.stringify(reply) + '\n');
});
