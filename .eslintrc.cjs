/** The rules of the project. `eslint.config.js` loads this file, since ESLint 10 no longer reads it by itself. */
module.exports = {
  root: true,
  parser: "@typescript-eslint/parser",
  parserOptions: { projectService: true, tsconfigRootDir: __dirname },
  plugins: ["@typescript-eslint"],
  extends: ["eslint:recommended", "plugin:@typescript-eslint/recommended-type-checked"],
  env: { node: true, es2022: true },
  rules: {
    eqeqeq: "error",
    "no-console": "error",
    "no-control-regex": "off",
    "@typescript-eslint/consistent-type-imports": "error",
    "@typescript-eslint/no-explicit-any": "error",
    "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_", ignoreRestSiblings: true }],
    "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    "@typescript-eslint/require-await": "off",
    // Core code never writes to the streams and never ends the process.
    "no-restricted-properties": [
      "error",
      { object: "process", property: "exit", message: "Set process.exitCode in cli.ts; output to a pipe is cut by process.exit." },
    ],
  },
  overrides: [
    { files: ["src/cli.ts"], rules: { "no-restricted-properties": "off" } },
    {
      files: ["**/*.js", "**/*.mjs", "**/*.cjs"],
      extends: ["plugin:@typescript-eslint/disable-type-checked"],
      rules: { "no-console": "off", "no-restricted-properties": "off" },
    },
    { files: ["**/*.cjs"], rules: { "@typescript-eslint/no-require-imports": "off" } },
    {
      files: ["tests/**/*.{ts,tsx,js,mjs,cjs}"],
      rules: { "no-console": "off", "no-restricted-properties": "off" },
    },
  ],
};
