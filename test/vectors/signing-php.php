<?php
// Computed canonical and sign of each row in signing-php.json, with PHP 8.2.36 and its default settings:
//   php -n signing-php.php < signing-php.json
// Where the rules say "as PHP", it leaves the work to PHP: json_decode, array_merge, strcmp, numbers as strings.

const EXCLUDED = ['clientId', 'access-token', 'action', 'auth', 'channel', 'controller', 'locale', 'method', 'module',
    'sign', 'version', 'per-page', 'page', 'sort'];

function decode(string $text, string $strings): mixed
{
    if ($strings === 'none' || ($strings === 'containers' && !preg_match('/^[ \t\r\n]*[\[{]/', $text))) return $text;
    $value = json_decode($text, true);
    return json_last_error() === JSON_ERROR_NONE ? $value : $text;
}

/** Decodes every string once; with $found, containers leave their place and are collected there. */
function decode_all(mixed $value, string $strings, ?array &$found): mixed
{
    if (is_string($value)) {
        $decoded = decode($value, $strings);
        if ($found === null || !is_array($decoded)) return $decoded;
        $found[] = $decoded;
        return null;
    }
    if (!is_array($value)) return $value;
    $isList = array_is_list($value);
    $members = [];
    foreach ($value as $name => $member) {
        $before = $found === null ? 0 : count($found);
        $decoded = decode_all($member, $strings, $found);
        $hasLeft = is_string($member) && $found !== null && count($found) > $before;
        if (!$hasLeft) $members[$name] = $decoded;
    }
    return $isList ? array_values($members) : $members;
}

function write(mixed $value, array $settings): string
{
    if (is_array($value)) return write_members($value, $settings, false);
    if ($settings['SIGNATURE_SCALARS'] === 'json' && ($value === null || is_bool($value))) return json_encode($value);
    return (string) $value;
}

function write_members(array $members, array $settings, bool $isTop): string
{
    // Integers at the top are positions, which array_merge gave.
    $compare = fn ($a, $b) => $isTop && is_int($a) && is_int($b) ? $a <=> $b : strcmp((string) $a, (string) $b);
    if (!array_is_list($members)) uksort($members, $compare);
    $text = '';
    foreach ($members as $name => $member) {
        $isExcluded = in_array((string) $name, EXCLUDED, true) && ($isTop || $settings['SIGNATURE_EXCLUDE'] === 'deep');
        if (!$isExcluded) $text .= write($member, $settings);
    }
    return $text;
}

function canonical(array $parameters, array $settings): string
{
    $found = $settings['SIGNATURE_JSON_PLACEMENT'] === 'merge' ? [] : null;
    $members = decode_all($parameters, $settings['SIGNATURE_JSON_STRINGS'], $found);
    if ($found !== null) $members = array_merge($members, ...$found);
    if ($settings['SIGNATURE_OPEN_GAME_CLIENT'] === 'drop') unset($members['client']);
    return write_members($members, $settings, true);
}

$rows = json_decode(stream_get_contents(STDIN), true, flags: JSON_THROW_ON_ERROR);
foreach ($rows as &$row) {
    $settings = $row['settings'] + ['SIGNATURE_SCALARS' => 'php', 'SIGNATURE_OPEN_GAME_CLIENT' => 'keep',
        'SIGNATURE_JSON_STRINGS' => 'containers', 'SIGNATURE_JSON_PLACEMENT' => 'in-place', 'SIGNATURE_EXCLUDE' => 'top'];
    $row['canonical'] = canonical($row['parameters'], $settings);
    $row['sign'] = hash('sha256', $row['canonical'] . $row['secret']);
    $row['settings'] = (object) $row['settings'];
}
echo json_encode($rows, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE), "\n";
