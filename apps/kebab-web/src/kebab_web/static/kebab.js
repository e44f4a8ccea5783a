// The page: everything here is a convenience over links and forms that work without it.
import { start as startSearch } from "./search.js";
import { start as startAnswers } from "./answers.js";
import { start as startDocuments } from "./documents.js";
import { start as startKeys } from "./keys.js";
import { start as startSwitcher } from "./switcher.js";
import { start as startWork } from "./work.js";

document.documentElement.classList.add("scripted");
startDocuments();
startAnswers();
startSearch();
startKeys();
startSwitcher();
startWork();
