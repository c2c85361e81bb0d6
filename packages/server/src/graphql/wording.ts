/** The longest sentence about something that was sent, of which it may name parts. */
const longestMessage = 300;

/** Where graphql-js quotes values, or what stands in their place, and what is said instead. */
const quotations: readonly (readonly [quotation: RegExp, instead: string])[] = [
  [/^((?:Enum )?"?\w+"? cannot represent [\w -]*value): .*$/s, '$1.'],
  [/^(Expected value of type "[^"]*"), found .*$/s, '$1.'],
  [/^(Expected type "[^"]*"\.) .*$/s, '$1'],
  [/^Value .* does not exist in ("\w+") enum\b.*$/s, 'There is no such value in the enum $1.'],
  [/^(Argument "\w+") has invalid value .*$/s, '$1 has an invalid value.'],
  [/^(Syntax Error: .*?\b(?:Name|String|BlockString|Int|Float)) ".*$/s, '$1.'],
];

/** What graphql-js says of a mistake, of bounded length and without values: they may be secrets. */
export function wordsOf(message: string): string {
  const found = quotations.find(([quotation]) => quotation.test(message));
  const words = found ? message.replace(...found) : message;
  return words.length > longestMessage ? `${words.slice(0, longestMessage)}…` : words;
}
