// Styles are imported for the bundler, which gathers them into one <style>.
declare module '*.css';
