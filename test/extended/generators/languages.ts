/** How one language compiles and runs what quicktype generates for it. */
export interface Language {
  /** The name that quicktype knows it by. */
  readonly name: string;
  /** Programs that have to be installed; an absolute path is a file that they bring. */
  readonly needs: readonly string[];
  readonly options?: readonly string[];
  /** Changes a schema for an error of the generator. */
  readonly adapt?: (schema: string) => string;
  /** The file with the generated types. */
  readonly types: string;
  /** A file with a program that decodes and encodes each line of `golden.txt`, for the types with these names. */
  readonly program: readonly [file: string, text: (types: readonly string[]) => string];
  /** Shell commands that compile the program and run it, in the folder of the two files. */
  readonly run: string;
}

const snake = (name: string): string => name.replace(/(?<!^)([A-Z])/g, '_$1').toLowerCase();
const camel = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

const withoutTimes = (schema: string): string =>
  schema.replace(/"format": "date(-time)?"/g, '"minLength": 1');

const JARS = ['core', 'databind', 'annotations'].map((part) => `/usr/share/java/jackson-${part}.jar`);
const NEWTONSOFT = '/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll';

/** Generated Python reads times with it. */
export const DATEUTIL = '/usr/lib/python3/dist-packages/dateutil/__init__.py';

/** Each line of `golden.txt` is the name of a type, a space, and a message; a message that cannot be decoded is `error`. */
export const LANGUAGES: readonly Language[] = [
  {
    name: 'typescript',
    needs: [],
    types: 'messages.ts',
    program: [
      'program.ts',
      (types) => `import { readFileSync } from 'node:fs';
import { Convert } from './messages.ts';
const code: Record<string, (text: string) => string> = {
${types.map((type) => `  ${type}: (text) => JSON.stringify(JSON.parse(Convert.${camel(type)}ToJson(Convert.to${type}(text)))),`).join('\n')}
};
for (const line of readFileSync('golden.txt', 'utf8').trimEnd().split('\\n')) {
  const [type = '', ...rest] = line.split(' ');
  let out = 'error';
  try { out = code[type]!(rest.join(' ')); } catch {}
  console.log(out);
}
`,
    ],
    run: '"$NODE" "$TSC" --noEmit --strict --allowImportingTsExtensions --module nodenext --target es2023 \
--types node --typeRoots "$TYPE_ROOTS" program.ts && "$NODE" --experimental-transform-types --no-warnings program.ts',
  },
  {
    name: 'python',
    needs: ['/usr/bin/python3'],
    options: ['--python-version', '3.7'],
    types: 'messages.py',
    program: [
      'program.py',
      (types) => `import json, messages
code = {
${types.map((type) => `    "${type}": (messages.${snake(type)}_from_dict, messages.${snake(type)}_to_dict),`).join('\n')}
}
for line in open("golden.txt", encoding="utf-8"):
    kind, text = line.split(" ", 1)
    read, write = code[kind]
    try:
        print(json.dumps(write(read(json.loads(text)))))
    except Exception:
        print("error")
`,
    ],
    run: '/usr/bin/python3 -B program.py',
  },
  {
    name: 'go',
    needs: ['/usr/bin/go'],
    options: ['--package', 'main'],
    types: 'messages.go',
    program: [
      'program.go',
      (types) => `package main

import ("bufio"; "fmt"; "os"; "strings")

func code(kind string, text []byte) ([]byte, error) {
	switch kind {
${types
  .map(
    (type) => `	case "${type}":
		value, err := Unmarshal${type}(text)
		if err != nil { return nil, err }
		return value.Marshal()`,
  )
  .join('\n')}
	}
	return nil, fmt.Errorf("no type %s", kind)
}

func main() {
	file, _ := os.Open("golden.txt")
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1 << 20)
	for lines.Scan() {
		parts := strings.SplitN(lines.Text(), " ", 2)
		out, err := code(parts[0], []byte(parts[1]))
		if err != nil { out = []byte("error") }
		fmt.Println(string(out))
	}
}
`,
    ],
    run: 'GO111MODULE=off GOFLAGS= GOCACHE="$PWD/cache" /usr/bin/go run program.go messages.go',
  },
  {
    name: 'java',
    needs: ['/usr/bin/javac', ...JARS],
    options: ['--package', 'gen'],
    // Debian has no module of Jackson for the types of java.time.
    adapt: withoutTimes,
    types: 'Messages.java',
    program: [
      'Program.java',
      (types) => `package gen;

import java.nio.file.*;

public class Program {
    static String code(String type, String text) throws Exception {
        switch (type) {
${types
  .map(
    (type) =>
      `            case "${type}": return Converter.${type}ToJsonString(Converter.${type}FromJsonString(text));`,
  )
  .join('\n')}
        }
        throw new Exception(type);
    }

    public static void main(String[] args) throws Exception {
        for (String line : Files.readAllLines(Path.of("golden.txt"))) {
            String[] parts = line.split(" ", 2);
            String out = "error";
            try { out = code(parts[0], parts[1]); } catch (Exception error) { }
            System.out.println(out);
        }
    }
}
`,
    ],
    // Debian's Jackson declares the wider exception.
    run: `sed -i 's/throws JsonProcessingException/throws IOException/' Converter.java && javac -nowarn -encoding UTF-8 -cp "${JARS.join(':')}" -d classes *.java \
&& java -Dfile.encoding=UTF-8 -cp "classes:${JARS.join(':')}" gen.Program`,
  },
  {
    name: 'csharp',
    needs: ['/usr/bin/mcs', NEWTONSOFT],
    options: ['--csharp-version', '6', '--framework', 'NewtonSoft', '--namespace', 'Gen'],
    types: 'Messages.cs',
    program: [
      'Program.cs',
      (types) => `using System;
using System.IO;
using Gen;

static class Program
{
    static string Code(string type, string text)
    {
        switch (type)
        {
${types.map((type) => `            case "${type}": return Serialize.ToJson(${type}.FromJson(text));`).join('\n')}
        }
        throw new Exception(type);
    }

    static void Main()
    {
        foreach (var line in File.ReadAllLines("golden.txt"))
        {
            var parts = line.Split(new[] { ' ' }, 2);
            var text = "error";
            try { text = Code(parts[0], parts[1]); } catch (Exception) { }
            Console.WriteLine(text);
        }
    }
}
`,
    ],
    run: `mcs -nologo -langversion:7 -r:${NEWTONSOFT} -out:program.exe Program.cs Messages.cs >&2 \
&& cp ${NEWTONSOFT} . && mono program.exe`,
  },
  {
    name: 'php',
    needs: ['/usr/bin/php'],
    // Generated PHP cannot read fractions of a second.
    adapt: withoutTimes,
    types: 'messages.php',
    program: [
      'program.php',
      (types) => `<?php
require 'messages.php';
$types = ['${types.join("', '")}'];
foreach (file('golden.txt', FILE_IGNORE_NEW_LINES) as $line) {
    [$type, $text] = explode(' ', $line, 2);
    try {
        echo json_encode($type::from(json_decode($text))->to(), JSON_UNESCAPED_SLASHES), "\\n";
    } catch (Throwable $error) {
        echo "error\\n";
    }
}
`,
    ],
    // Without strict types, PHP would turn a faulty amount into another number.
    run: "sed -i '1a declare(strict_types=1);' messages.php && php -d error_reporting=E_ERROR program.php",
  },
];
