// The editor of scripts: CodeMirror 6 with the languages of the GLUE types, bundled into static/vendor/editor.js.

import { autocompletion, closeBrackets, closeBracketsKeymap, completeAnyWord, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentOnInput, indentUnit, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { javascript } from '@codemirror/legacy-modes/mode/javascript';
import { powerShell } from '@codemirror/legacy-modes/mode/powershell';
import { python } from '@codemirror/legacy-modes/mode/python';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import { clike, java } from '@codemirror/legacy-modes/mode/clike';
import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState } from '@codemirror/state';
import { crosshairCursor, drawSelection, dropCursor, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers, rectangularSelection } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const words = (text) => Object.fromEntries(text.split(' ').map((word) => [word, true]));

// PHP as its own small mode over the C family's: variables, `#` comments, the opening tag.
const php = clike({
  name: 'php',
  keywords: words('abstract and array as break case catch class clone const continue declare default do echo else elseif empty enum extends final finally fn for foreach function global if implements include include_once instanceof insteadof interface isset list match namespace new or print private protected public readonly require require_once return static switch throw trait try unset use var while xor yield'),
  blockKeywords: words('catch do else elseif for foreach if switch try while finally'),
  atoms: words('true false null TRUE FALSE NULL self parent __DIR__ __FILE__ __LINE__ PHP_EOL'),
  multiLineStrings: true,
  hooks: {
    $: (stream) => (stream.eatWhile(/[\w$]/), 'variableName.special'),
    '#': (stream) => (stream.skipToEnd(), 'comment'),
    '<': (stream) => (stream.match(/^\?(php|=)?/) ? 'meta' : false),
    '?': (stream) => (stream.match(/^>/) ? 'meta' : false),
  },
});

/** The language of each GLUE type. */
const LANGUAGES = {
  GLUE_GROOVY: java, GLUE_SHELL: shell, GLUE_PYTHON: python, GLUE_PYTHON2: python, GLUE_PHP: php, GLUE_NODEJS: javascript, GLUE_POWERSHELL: powerShell,
};

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--code-string)' },
  { tag: [tags.comment, tags.meta], color: 'var(--code-comment)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--code-number)' },
  { tag: [tags.definition(tags.variableName), tags.typeName, tags.className, tags.standard(tags.variableName)], color: 'var(--code-name)' },
  { tag: [tags.special(tags.variableName), tags.propertyName, tags.attributeName], color: 'var(--code-variable)' },
]);

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '14px', backgroundColor: 'var(--surface)', color: 'var(--text)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-gutters': { backgroundColor: 'var(--surface-2)', color: 'var(--text-3)', borderRight: '1px solid var(--border)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 6%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--surface-3)', color: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection': { backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent)' },
  '.cm-matchingBracket': { backgroundColor: 'color-mix(in srgb, var(--accent) 22%, transparent)', outline: '1px solid var(--accent)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-panels, .cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--text)', border: '1px solid var(--border)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--ok-soft)' },
  '.cm-deletedChunk, .cm-deletedLine': { backgroundColor: 'var(--fail-soft)' },
  '.cm-textfield, .cm-button': { font: 'inherit', color: 'inherit', background: 'var(--surface)', border: '1px solid var(--border-input)', borderRadius: '5px' },
});

const language = (glueType) => (LANGUAGES[glueType] ? StreamLanguage.define(LANGUAGES[glueType]) : []);

const reading = (glueType) => [lineNumbers(), highlightSpecialChars(), drawSelection(), foldGutter(), bracketMatching(), syntaxHighlighting(colours), look, search({ top: true }), language(glueType), keymap.of([...searchKeymap, ...foldKeymap])];

/**
 * An editor in `parent`: `{doc, glueType, label, readOnly, onchange, onsave}`. Gives `{get, set, focus, wrap, view}`.
 */
export function createEditor(parent, { doc = '', glueType, label, readOnly = false, onchange, onsave }) {
  const wrapping = new Compartment();
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc,
      extensions: [
        reading(glueType), history(), dropCursor(), rectangularSelection(), crosshairCursor(), indentOnInput(), indentUnit.of('    '), closeBrackets(),
        highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(), autocompletion({ override: [completeAnyWord] }),
        EditorState.allowMultipleSelections.of(true), EditorState.readOnly.of(readOnly), wrapping.of([]),
        EditorView.contentAttributes.of({ 'aria-label': label ?? '' }),
        EditorView.updateListener.of((update) => update.docChanged && onchange?.(view.state.doc.toString())),
        keymap.of([{ key: 'Mod-s', preventDefault: true, run: () => (onsave?.(), true) }, ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, indentWithTab]),
      ],
    }),
  });
  return {
    view,
    get: () => view.state.doc.toString(),
    set: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    focus: () => view.focus(),
    wrap: (isOn) => view.dispatch({ effects: wrapping.reconfigure(isOn ? EditorView.lineWrapping : []) }),
  };
}

/** Two texts side by side, or, with `unified`, one below the other; read-only. Gives `{destroy}`. */
export function createDiff(parent, { before, after, glueType, unified = false }) {
  const extensions = [reading(glueType), EditorState.readOnly.of(true), EditorView.lineWrapping];
  if (unified) return new EditorView({ parent, doc: after, extensions: [extensions, unifiedMergeView({ original: before, mergeControls: false })] });
  return new MergeView({ parent, a: { doc: before, extensions }, b: { doc: after, extensions }, collapseUnchanged: { margin: 3, minSize: 6 } });
}
